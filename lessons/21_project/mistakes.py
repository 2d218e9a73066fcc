"""Wrong answers to the parts of lesson 21's project, and what each is told."""

import os

import keras
import numpy as np
import tensorflow as tf

from course_utils.exercises import Wrong

# 21.1


def owner_of(variable):
    return variable.path.rpartition("/")[0]


def norm_of(gradients):
    return tf.sqrt(sum(tf.reduce_sum(g**2) for g in gradients))


def clipping(
    owner=owner_of,
    norm=norm_of,
    factor=lambda norm, limit: limit / tf.maximum(norm, limit),
    counted=list,
    result=lambda clipped, gradients: clipped,
    clips=lambda number, key: True,
):
    """Return an answer to 21.1 from its parts."""

    def clip_layers(model, gradients, limit):
        groups = {}
        variables = counted(model.trainable_variables)
        for number, (variable, g) in enumerate(zip(variables, gradients, strict=False)):
            if g is not None:
                groups.setdefault(owner(variable), []).append(number)
        clipped = list(gradients)
        for number, (key, places) in enumerate(groups.items()):
            if clips(number, key):
                scale = factor(norm([gradients[i] for i in places]), limit)
                for i in places:
                    clipped[i] = scale * gradients[i]
        return result(clipped, gradients)

    return clip_layers


def by_names(model, gradients, limit):
    """Group by the layers that stand at the top of the model."""
    clipped = {}
    by_variable = dict(zip([v.path for v in model.trainable_variables], gradients, strict=True))
    for layer in model.layers:
        paths = [v.path for v in layer.trainable_variables if by_variable[v.path] is not None]
        if paths:
            norm = norm_of([by_variable[path] for path in paths])
            clipped |= {p: by_variable[p] * limit / tf.maximum(norm, limit) for p in paths}
    return [clipped.get(v.path, by_variable[v.path]) for v in model.trainable_variables]


def of_layers_alone(model, gradients, limit):
    """Group as by_names does, and leave None for what no layer holds."""
    held = {v.path for layer in model.layers for v in layer.trainable_variables}
    pairs = zip(model.trainable_variables, by_names(model, gradients, limit), strict=True)
    return [g if v.path in held else None for v, g in pairs]


def by_value(model, gradients, limit):
    return [None if g is None else tf.clip_by_value(g, -limit, limit) for g in gradients]


def in_pairs(model, gradients, limit):
    """Take two gradients at a time for a layer."""
    clipped = []
    for first in range(0, len(gradients), 2):
        pair = gradients[first : first + 2]
        norm = norm_of([g for g in pair if g is not None])
        clipped += [None if g is None else g * limit / tf.maximum(norm, limit) for g in pair]
    return clipped


def limit_shared(model, gradients, limit):
    owners = {owner_of(v) for v in model.trainable_variables}
    return clipping()(model, gradients, limit / len(owners))


def zeros_for_none(shape):
    return lambda clipped, gradients: [tf.zeros(shape) if g is None else g for g in clipped]


def unguarded(norm=norm_of, is_counted=lambda g: True):
    """Return an answer that knows of no None, or leaves it out of the sums alone."""

    def clip_layers(model, gradients, limit):
        groups = {}
        for variable, g in zip(model.trainable_variables, gradients, strict=True):
            groups.setdefault(owner_of(variable), []).append(g)
        norms = {key: norm([g for g in group if is_counted(g)]) for key, group in groups.items()}
        pairs = zip(model.trainable_variables, gradients, strict=True)
        return [g * limit / tf.maximum(norms[owner_of(v)], limit) for v, g in pairs]

    return clip_layers


def next_gradients(model, gradients, limit):
    """Deal the gradients out to the layers of `model.layers`, one after the other."""
    rest, clipped = iter(gradients), []
    for layer in model.layers:
        own = [next(rest) for _ in layer.trainable_variables]
        if own:
            clipped += tf.clip_by_global_norm(own, limit)[0]
    return clipped


def pairs_kept(model, gradients, limit):
    """Take the pair that tf.clip_by_global_norm returns for the list."""
    clipped, owners = list(gradients), [owner_of(v) for v in model.trainable_variables]
    for owner in owners:
        places = [i for i, other in enumerate(owners) if other == owner]
        pair = tf.clip_by_global_norm([gradients[i] for i in places], limit)
        for i, half in zip(places, pair, strict=False):
            clipped[i] = half
    return clipped


CLIPPED = {
    "nothing clipped": Wrong(
        "Nothing is clipped. Scale the gradients of each layer whose joint norm is above the "
        "limit.",
        clipping(clips=lambda number, key: False),
    ),
    "by variable": Wrong(
        "Each variable is clipped by itself, so a kernel and its bias no longer share a factor. "
        "Take the joint norm of what has one layer: `variable.path` up to the last slash.",
        clipping(owner=lambda variable: variable.path),
    ),
    "all together": Wrong(
        "All gradients are scaled by one norm, that of the whole model. Take a norm for each layer; "
        "the first piece of a path may be the model's name.",
        clipping(owner=lambda variable: "all"),
    ),
    "by value": Wrong(
        "The entries are cut one by one, which turns a gradient. Scale a layer's gradients by one "
        "factor.",
        by_value,
    ),
    "by the last name": Wrong(
        "All kernels share a norm here, and all biases: `variable.name` is the same in every "
        "layer. Group by `variable.path` up to the last slash.",
        clipping(owner=lambda variable: variable.name),
    ),
    "layers of one name": Wrong(
        "Two layers of the same name in different blocks are taken for one. Keep the whole "
        "path up to the last slash, not the layer's name alone.",
        clipping(owner=lambda variable: variable.path.split("/")[-2]),
    ),
    "in pairs": Wrong(
        "You take every two gradients for a layer. A layer may have no bias, and a model a weight "
        "of its own: ask `variable.path`.",
        in_pairs,
    ),
    "top of the model": Wrong(
        "A block inside the model is taken for one layer, and a weight of the model's own for "
        "none. Go by `variable.path`, not by `model.layers`.",
        by_names,
    ),
    "None for the model's own weight": Wrong(
        "A weight of the model's own comes back as None: no layer of `model.layers` holds it. Go "
        "through `model.trainable_variables`, and by `variable.path`.",
        of_layers_alone,
    ),
    "only what is in model.layers": Wrong(
        "A weight of the model's own is missing in the list: no layer of `model.layers` holds it. Go "
        "through `model.trainable_variables`.",
        clipping(result=lambda clipped, gradients: clipped[1:]),
        next_gradients,
        calls=(2,),
    ),
    "first pieces of the path": Wrong(
        "Layers of one block share a norm. A block may hold several: take the path up to its last "
        "slash, however many there are.",
        clipping(owner=lambda variable: tuple(variable.path.split("/")[:2])),
    ),
    "model's own weight left": Wrong(
        "A weight that the model itself owns is not clipped. The model is its layer: what stands "
        "before the last slash need not hold another.",
        clipping(clips=lambda number, key: "/" in key),
    ),
    "pair taken for a list": Wrong(
        "A list stands where a gradient should: tf.clip_by_global_norm returns two things, the list "
        "and its norm. Take the first.",
        pairs_kept,
    ),
    "norm returned, too": Wrong(
        "You return what tf.clip_by_global_norm returns, the list and its norm. Take the first, and "
        "call it once for each layer.",
        lambda model, gradients, limit: tf.clip_by_global_norm(gradients, limit),
    ),
    "frozen weights counted": Wrong(
        "The gradients are paired with `model.weights`, where the frozen layer stands, too. They "
        "are in the order of `model.trainable_variables`.",
        lambda model, gradients, limit: clipping(counted=lambda v: model.weights)(
            model, gradients, limit
        ),
        calls=(1,),
    ),
    "short ones lengthened": Wrong(
        "Layers below the limit are scaled up to it. A limit leaves them as they are.",
        clipping(factor=lambda norm, limit: limit / norm),
    ),
    "long ones left": Wrong(
        "The layers above the limit stay, and the others are scaled. Divide by the larger of norm "
        "and limit.",
        clipping(factor=lambda norm, limit: limit / tf.minimum(norm, limit)),
    ),
    "divided by the norm": Wrong(
        "A layer above the limit ends with norm 1, not with the limit. Multiply by limit / norm.",
        clipping(factor=lambda norm, limit: tf.where(norm > limit, 1 / norm, 1.0)),
    ),
    "root left out": Wrong(
        "The norm is the *root* of the sum of squares. You take the sum itself.",
        clipping(norm=lambda gradients: norm_of(gradients) ** 2),
    ),
    "square compared": Wrong(
        "A layer with its norm above the limit stays as it is, where the square of the norm is not "
        "above it. Compare the norm itself, the root.",
        clipping(factor=lambda norm, limit: tf.where(norm**2 > limit, limit / norm, 1.0)),
    ),
    "divided by the square": Wrong(
        "The right layers are scaled, but not to the limit: the factor is limit / norm, not "
        "limit / norm².",
        clipping(factor=lambda norm, limit: tf.where(norm > limit, limit / norm**2, 1.0)),
    ),
    "norms added up": Wrong(
        "The norms of a layer's gradients are added up. The joint norm is the root of the sum of "
        "all squares.",
        clipping(norm=lambda gradients: sum(tf.norm(g) for g in gradients)),
    ),
    "largest norm": Wrong(
        "You take the largest norm of a layer's gradients for their joint norm. Add their squares "
        "and take the root.",
        clipping(norm=lambda gradients: tf.reduce_max([tf.norm(g) for g in gradients])),
    ),
    "mean square": Wrong(
        "The squares are averaged, so a wide layer is hardly clipped. A norm adds them up.",
        clipping(
            norm=lambda gradients: (
                norm_of(gradients) / np.sqrt(float(sum(tf.size(g).numpy() for g in gradients)))
            )
        ),
        clipping(norm=lambda gradients: tf.sqrt(sum(tf.reduce_mean(g**2) for g in gradients))),
    ),
    "kernel's norm": Wrong(
        "A layer's factor comes from its first gradient alone, mostly the kernel's. The bias "
        "belongs to the joint norm.",
        clipping(norm=lambda gradients: tf.norm(gradients[0])),
    ),
    "first layer only": Wrong(
        "Only the first layer is clipped. Every layer has the limit.",
        clipping(clips=lambda number, key: number == 0),
    ),
    "last layer only": Wrong(
        "Only the last layer is clipped. Every layer has the limit.",
        clipping(clips=lambda number, key: "last" in key or "down" in key),
    ),
    "limit shared": Wrong(
        "The limit is divided among the layers. Each layer has all of it.",
        limit_shared,
    ),
    "None left out": Wrong(
        "The list is shorter than the gradients: a None is gone, and what follows belongs to the "
        "wrong variables. Keep a None where one is.",
        clipping(result=lambda clipped, gradients: [g for g in clipped if g is not None]),
    ),
    "zeros for None": Wrong(
        "A None has become zeros. An optimizer with a momentum moves a variable whose gradient is "
        "zero, and leaves one alone whose gradient is None. Keep the None.",
        clipping(result=zeros_for_none((4, 3))),  # of the variable's shape
        clipping(result=zeros_for_none(3)),
    ),
    "None computed with": Wrong(
        "A gradient may be None, where a variable was not used. Leave it out of the norm, and keep "
        "it in the list.",
        unguarded(),
        unguarded(tf.linalg.global_norm),
        unguarded(lambda gradients: tf.linalg.global_norm([g * 1.0 for g in gradients])),
        unguarded(lambda gradients: tf.sqrt(sum(tf.reduce_sum(tf.square(g)) for g in gradients))),
    ),
    "root of no gradients": Wrong(
        "A layer may have no gradient at all, where it was not used. Their sum is then Python's 0, a "
        "whole number, of which tf.sqrt takes no root: leave such a layer out.",
        unguarded(is_counted=lambda g: g is not None),
    ),
}

# 21.2


def stepping(
    penalties=lambda model: sum(model.losses),
    variables=lambda model: model.trainable_variables,
    cut=lambda clip, model, gradients: clip(model, gradients),
    result=lambda loss, data, model, loss_of, batch: loss,
    apply=lambda optimizer, gradients, variables: optimizer.apply(gradients, variables),
    data_loss=lambda model, loss_of, batch: loss_of(model, batch),
):
    """Return an answer to 21.2 from its parts."""

    def train_step(model, optimizer, loss_of, batch, clip):
        with tf.GradientTape() as tape:
            data = data_loss(model, loss_of, batch)
            loss = data + penalties(model)
        chosen = variables(model)
        apply(optimizer, cut(clip, model, tape.gradient(loss, chosen)), chosen)
        return result(loss, data, model, loss_of, batch)

    return train_step


def penalties_before(model, optimizer, loss_of, batch, clip):
    with tf.GradientTape() as tape:
        penalties = sum(model.losses)
        loss = loss_of(model, batch) + penalties
    gradients = clip(model, tape.gradient(loss, model.trainable_variables))
    optimizer.apply(gradients, model.trainable_variables)
    return loss


def penalties_below(model, optimizer, loss_of, batch, clip):
    with tf.GradientTape() as tape:
        data = loss_of(model, batch)
    gradients = tape.gradient([data, *model.losses], model.trainable_variables)
    optimizer.apply(clip(model, gradients), model.trainable_variables)
    return data + sum(model.losses)


def penalties_unclipped(model, optimizer, loss_of, batch, clip):
    variables = model.trainable_variables
    with tf.GradientTape(persistent=True) as tape:
        data, penalties = loss_of(model, batch), sum(model.losses)
    clipped = clip(model, tape.gradient(data, variables))
    others = tape.gradient(penalties, variables)
    pairs = zip(clipped, others, strict=True)
    optimizer.apply([a if b is None else a + b for a, b in pairs], variables)
    return data + penalties


def mean_squares(model, loss_of, batch):
    x, y = batch
    return tf.reduce_mean((model(x, training=True) - y) ** 2)


def two_steps(*given):
    stepping()(*given)
    return stepping()(*given)


def unclipped(clip, model, gradients):
    return gradients


def of_those_used(clip, model, gradients):
    """Clip a list without None."""
    clipped = iter(clip(model, [g for g in gradients if g is not None]))
    return [None if g is None else next(clipped) for g in gradients]


def those_left(optimizer, gradients, variables):
    optimizer.apply_gradients(zip([g for g in gradients if g is not None], variables, strict=False))


def climbing(optimizer, gradients, variables):
    optimizer.apply([None if g is None else -g for g in gradients], variables)


def applied_twice(optimizer, gradients, variables):
    optimizer.apply(gradients, variables)
    optimizer.apply(gradients, variables)


def by_hand(optimizer, gradients, variables):
    for variable, gradient in zip(variables, gradients, strict=True):
        if gradient is not None:
            variable.assign_sub(optimizer.learning_rate * gradient)


def with_a_copy(optimizer, gradients, variables):
    type(optimizer).from_config(optimizer.get_config()).apply(gradients, variables)


def with_adam(optimizer, gradients, variables):
    keras.optimizers.Adam(float(optimizer.learning_rate)).apply(gradients, variables)


def kernels(model):
    return [v for v in model.trainable_variables if v.name == "kernel"]


def called_twice(model, loss_of, batch):
    loss_of(model, batch)
    return loss_of(model, batch)


def as_in_inference(model, loss_of, batch):
    """Return the loss of the batch with training=False, whatever loss_of says."""
    return loss_of(lambda x, training=False: model(x, training=False), batch)


def with_zeros(model, optimizer, loss_of, batch, clip):
    with tf.GradientTape() as tape:
        loss = loss_of(model, batch) + sum(model.losses)
    variables = model.trainable_variables
    gradients = tape.gradient(loss, variables, unconnected_gradients="zero")
    optimizer.apply(clip(model, gradients), variables)
    return loss


def loss_above(model, optimizer, loss_of, batch, clip):
    loss = loss_of(model, batch)
    with tf.GradientTape() as tape:
        total = loss + sum(model.losses)
    gradients = tape.gradient(total, model.trainable_variables)
    known = [g if g is not None else tf.zeros_like(v) for g, v in
             zip(gradients, model.trainable_variables, strict=True)]  # fmt: skip
    optimizer.apply(clip(model, known), model.trainable_variables)
    return total


STEPS = {
    "nothing applied": Wrong(
        "The weights are as they were: nothing was applied, or every gradient was 0, as behind a "
        "limit on the loss. Call optimizer.apply(gradients, variables).",
        stepping(apply=lambda optimizer, gradients, variables: None),
    ),
    "penalties left out": Wrong(
        "The regularisers are lost: add sum(model.losses) to the loss, and inside the tape's block, or "
        "their gradient is lost.",
        stepping(penalties=lambda model: 0.0),
    ),
    "penalties twice": Wrong(
        "The penalties count twice. Add sum(model.losses) once.",
        stepping(penalties=lambda model: 2 * sum(model.losses)),
    ),
    "penalties averaged": Wrong(
        "The penalties are averaged. `fit` adds them up: sum(model.losses).",
        stepping(penalties=lambda model: tf.reduce_mean(model.losses)),
        calls=(0,),
    ),
    "first penalty only": Wrong(
        "One penalty is missing: model.losses is a list. Add all of it, sum(model.losses).",
        stepping(penalties=lambda model: model.losses[0]),
    ),
    "penalties divided by the batch": Wrong(
        "The penalties are divided by the size of the batch. `fit` adds them as they are: "
        "sum(model.losses).",
        stepping(penalties=lambda model: sum(model.losses) / 8),
    ),
    "penalties read below the block": Wrong(
        "model.losses is read below the tape's block, and the penalties of weights are computed where "
        "they are read: the tape misses them. Read them inside.",
        penalties_below,
    ),
    "penalties not clipped": Wrong(
        "clip gets the gradient of the data's loss alone, and that of the penalties is added to what "
        "it returns. Hand it the gradient of their sum.",
        penalties_unclipped,
    ),
    "loss_of not used": Wrong(
        "You compute a mean square of your own. The loss is the one that is given, whatever it is: call "
        "loss_of(model, batch).",
        stepping(data_loss=mean_squares),
    ),
    "two steps": Wrong("Each call takes two whole steps. Take one.", two_steps),
    "penalties before the call": Wrong(
        "The penalties of activations are missing. Either the penalties are read before loss_of has "
        "called the model, or only the regularisers of weights are asked: sum(model.losses) holds all "
        "of them, after the call.",
        penalties_before,
    ),
    "clip left out": Wrong(
        "The gradients are right, and those that are applied are not the clipped ones. Hand what "
        "clip(model, gradients) returns to the optimizer.",
        stepping(cut=unclipped),
    ),
    "None left out of the clipping": Wrong(
        "clip gets fewer gradients than the model has variables: those that are None are left out. "
        "Hand it the list as tape.gradient returns it.",
        stepping(cut=of_those_used),
    ),
    "None left out of the pairs": Wrong(
        "Those gradients that are None are left out, and the others paired with all variables: what "
        "comes after a None moves a wrong one. Leave it in, the optimizer passes it over.",
        stepping(apply=those_left),
    ),
    "zeros asked for": Wrong(
        "A variable may be unused, and its gradient None. With Keras variables, "
        "`unconnected_gradients` fails there. Leave it out: clip and the optimizer take a None.",
        with_zeros,
    ),
    "batch taken apart": Wrong(
        "loss_of gets something else than the model and the batch. It calls the model itself, and "
        "takes the batch whole: loss_of(model, batch).",
        stepping(data_loss=lambda model, loss_of, batch: loss_of(batch[1], model(batch[0]))),
    ),
    "arguments of loss_of exchanged": Wrong(
        "loss_of takes the model first, then the batch.",
        stepping(data_loss=lambda model, loss_of, batch: loss_of(batch, model)),
    ),
    "arguments of clip exchanged": Wrong(
        "clip takes the model first, then the gradients.",
        stepping(cut=lambda clip, model, gradients: clip(gradients, model)),
    ),
    "optimizer of the model": Wrong(
        "The model was not compiled, and has no optimizer. Use the one that is given.",
        stepping(data_loss=lambda model, loss_of, batch: model.optimizer),
    ),
    "clipped twice": Wrong(
        "clip is called twice, on its own result. Call it once.",
        stepping(cut=lambda clip, model, gradients: clip(model, clip(model, gradients))),
    ),
    "clipped in another order": Wrong(
        "clip gets the gradients in another order than that of the variables. Hand it the list as "
        "tape.gradient returns it.",
        stepping(cut=lambda clip, model, gradients: clip(model, gradients[::-1])[::-1]),
    ),
    "climbs": Wrong(
        "The step climbs. Hand the gradients to the optimizer as they are.",
        stepping(cut=lambda clip, *given: [-g for g in clip(*given)]),  # raises at a None
        stepping(apply=climbing),
    ),
    "applied twice": Wrong(
        "The gradients are applied twice. One step applies them once.",
        stepping(apply=applied_twice),
    ),
    "update by hand": Wrong(
        "The first step is right, the second is not: the optimizer's momentum is lost. Either you "
        "change the variables yourself, or each step makes an optimizer anew. Call apply of the one "
        "that is given.",
        stepping(apply=by_hand),
        stepping(apply=with_a_copy),
    ),
    "another optimizer": Wrong(
        "The step is taken by an optimizer of your own. Use the one that is given.",
        stepping(apply=with_adam),
    ),
    "kernels only": Wrong(
        "Only the kernels move. Every trainable variable takes part.",
        stepping(variables=kernels, cut=unclipped),
    ),
    "last layer only": Wrong(
        "Only the last layer moves. Every trainable variable takes part.",
        stepping(variables=lambda model: model.layers[-1].trainable_variables, cut=unclipped),
    ),
    "inference": Wrong(
        "The model runs as in inference: dropout drops nothing, and the averages do not move. "
        "Hand the model itself to loss_of, which knows how to call it.",
        stepping(data_loss=as_in_inference),
    ),
    "loss_of twice": Wrong(
        "The model runs twice in a step: the averages of batch normalisation move twice, and "
        "dropout draws anew. Call loss_of once.",
        stepping(data_loss=called_twice),
    ),
    "loss above the block": Wrong(
        "loss_of was called above the tape's block, so only the penalties have a gradient. Call it "
        "inside.",
        loss_above,
    ),
    "loss of the data alone": Wrong(
        "The weights are right. The loss that you return lacks the penalties; `fit` reports it with "
        "them.",
        stepping(result=lambda loss, data, model, loss_of, batch: data),
    ),
    "loss in a list": Wrong(
        "The weights are right. Return the loss alone, one number.",
        stepping(result=lambda loss, data, model, loss_of, batch: [loss, data]),
        stepping(result=lambda loss, data, model, loss_of, batch: {"loss": loss}),
    ),
    "no loss returned": Wrong(
        "The weights are right, and nothing is returned. Return the loss.",
        stepping(result=lambda *given: None),
    ),
    "loss after the step": Wrong(
        "The weights are right, but the loss is that of another call, after the step, which moves "
        "the averages once more. Return the one whose gradient you took.",
        stepping(
            result=lambda loss, data, model, loss_of, batch: (
                loss_of(model, batch) + sum(model.losses)
            )
        ),
    ),
    "penalties after the step": Wrong(
        "The weights are right. The penalties in the loss that you return are those after the step: "
        "return the loss whose gradient you took.",
        stepping(result=lambda loss, data, model, loss_of, batch: data + sum(model.losses)),
    ),
}

# 21.3


def variables_of(model, optimizer, generator):
    """Return the variables that a run goes on from, by what they are called."""
    iterations, rate, *memory = optimizer.variables
    others = model.non_trainable_variables
    return {
        "weights": model.trainable_variables,
        "averages": [v for v in others if "moving" in v.path],
        "dropout": [v for v in others if "moving" not in v.path],
        "momentum": memory,
        "count": [iterations],
        "rate": [rate],
        "generator": [generator.state],
    }


def keeping(
    without=(),
    found=True,
    absent=lambda model: False,
    after_save=lambda *run: None,
    overwrite=True,
    place=lambda path: path,
):
    """Return an answer to 21.3 that leaves something out."""

    def keeper(model, optimizer, generator, history):
        groups = variables_of(model, optimizer, generator)
        kept = [v for name, group in groups.items() if name not in without for v in group]

        def save(path):
            if overwrite or not os.path.exists(place(path)):
                values = {f"v{i}": v.numpy() for i, v in enumerate(kept)}
                with open(place(path), "wb") as file:
                    np.savez(file, history=np.array(history, float), **values)
            after_save(model, optimizer, generator, history)

        def resume(path):
            if not os.path.exists(place(path)):
                return absent(model)
            with np.load(place(path)) as saved:
                for i, variable in enumerate(kept):
                    variable.assign(saved[f"v{i}"])
                if "history" not in without:
                    history[:] = saved["history"].tolist()
            return found

        return save, resume

    return keeper


def by_path(read):
    """Return an answer to 21.3 that keeps the weights under their paths, and reads a file so."""

    def keeper(model, *run):
        def save(path):
            with open(path, "wb") as file:
                np.savez(file, **{v.path: v.numpy() for v in model.trainable_variables})

        def resume(path):
            if os.path.exists(path):
                saved = read(np.load(path))
                for variable in model.trainable_variables:
                    variable.assign(saved[variable.path])
            return os.path.exists(path)

        return save, resume

    return keeper


def halves_rate(model, optimizer, generator, history):
    optimizer.learning_rate.assign(optimizer.learning_rate / 2)


def moves_weights(model):
    for variable in model.trainable_variables:
        variable.assign(0 * variable)
    return False


def raising(model):
    raise FileNotFoundError("no file")


KEPT = {
    "raises without a file": Wrong(
        "Where nothing was saved under this path, resume raises. A first start is no error: return "
        "False, and change nothing.",
        keeping(absent=raising),
    ),
    "by path": Wrong(
        "resume asks for a name that was not saved: a variable's path holds a number, as in "
        "sequential_7, that is another one in another run. Keep the values in the order of the "
        "variables.",
        by_path(lambda file: file),
        by_path(dict),
    ),
    "one function": Wrong(
        "Return two functions, save and resume, in this order.",
        lambda *run: keeping()(*run)[0],
    ),
    "functions called": Wrong(
        "Return the functions themselves, `return save, resume`, without calling them.",
        lambda *run: (None, False),
    ),
    "True without a file": Wrong(
        "resume returns True where nothing was saved. Return False, so that a script knows that it "
        "starts anew.",
        keeping(absent=lambda model: True),
    ),
    "None without a file": Wrong(
        "resume returns nothing where nothing was saved. Return False; if it does, you return the two "
        "functions in the wrong order: save comes first.",
        keeping(absent=lambda model: None),
        lambda *run: keeping()(*run)[::-1],
    ),
    "another path's": Wrong(
        "Where another path was saved, and this one was not, resume finds that. Write to the path that "
        "you get, and look nowhere else.",
        keeping(place=lambda path: f"{os.path.dirname(path)}/state"),
    ),
    "changed without a file": Wrong(
        "Where nothing was saved, resume changes the run all the same. Leave it as it is.",
        keeping(absent=moves_weights),
    ),
    "history cleared by saving": Wrong(
        "Saving empties the history of the run that goes on. Save a copy, and change nothing.",
        keeping(after_save=lambda model, optimizer, generator, history: history.clear()),
    ),
    "rate changed by saving": Wrong(
        "Saving changes the learning rate of the run that goes on. Only write.",
        keeping(after_save=halves_rate),
    ),
    "generator moved by saving": Wrong(
        "Saving draws from the generator, so the run goes on with other batches than it would have. "
        "Read its state and draw nothing.",
        keeping(after_save=lambda model, optimizer, generator, history: generator.uniform((1,))),
    ),
    "kept in memory": Wrong(
        "Moved to another folder, nothing is found. Either it is in memory, which a killed process "
        "loses, or in another file than resume looks for: np.savez adds .npz to a path. Write all of it "
        "to path.",
        keeping(place=lambda path: path.replace("b/run", "c")),
    ),
    "nothing returned after resume": Wrong(
        "The run is resumed, and resume returns nothing. Return True.",
        keeping(found=None),
    ),
    "False after resume": Wrong(
        "The run is resumed, and resume returns False. Return True.",
        keeping(found=False),
    ),
    "first save kept": Wrong(
        "resume returns True, and nothing is as it was at the last save. Either that save did not "
        "write over an earlier one, or wrote what was read before it, where keeper is called. Or "
        "nothing was assigned: `variable.assign(value)`, `history[:] = ...`.",
        keeping(overwrite=False),
    ),
    "values of the start": Wrong(
        "The history is resumed, and no variable is as it was saved. Read the values in save, not "
        "where keeper is called, and assign them in resume.",
        keeping(
            without=("weights", "averages", "dropout", "momentum", "count", "rate", "generator")
        ),
    ),
    "weights": Wrong(
        "After resume, not as it was saved: the weights.",
        keeping(without=("weights",)),
    ),
    "averages": Wrong(
        "After resume, not as it was saved: the averages of batch normalisation.",
        keeping(without=("averages",)),
    ),
    "dropout": Wrong(
        "After resume, not as it was saved: what dropout draws next (its seed's state, in "
        "model.non_trainable_variables).",
        keeping(without=("dropout",)),
    ),
    "momentum": Wrong(
        "After resume, not as it was saved: what the optimizer remembers, here its momentum.",
        keeping(without=("momentum",)),
    ),
    "count": Wrong(
        "After resume, not as it was saved: the optimizer's count of steps, on which schedules "
        "and Adam depend.",
        keeping(without=("count",)),
    ),
    "rate": Wrong(
        "After resume, not as it was saved: the learning rate, which had been lowered.",
        keeping(without=("rate",)),
    ),
    "generator": Wrong(
        "After resume, not as it was saved: the state of the generator, which draws the batches.",
        keeping(without=("generator",)),
    ),
    "history": Wrong(
        "After resume, not as it was saved: the history (the same list, in all digits: "
        "`history[:] = ...`).",
        keeping(without=("history",)),
    ),
    "averages, dropout": Wrong(
        "After resume, not as it was saved: the averages of batch normalisation; what dropout "
        "draws next (its seed's state, in model.non_trainable_variables).",
        keeping(without=("averages", "dropout")),
    ),
    "averages, rate": Wrong(
        "After resume, not as it was saved: the averages of batch normalisation; the learning "
        "rate, which had been lowered.",
        keeping(without=("averages", "rate")),
    ),
    "averages, generator": Wrong(
        "After resume, not as it was saved: the averages of batch normalisation; the state of "
        "the generator, which draws the batches.",
        keeping(without=("averages", "generator")),
    ),
    "averages, history": Wrong(
        "After resume, not as it was saved: the averages of batch normalisation; the history "
        "(the same list, in all digits: `history[:] = ...`).",
        keeping(without=("averages", "history")),
    ),
    "dropout, rate": Wrong(
        "After resume, not as it was saved: what dropout draws next (its seed's state, in "
        "model.non_trainable_variables); the learning rate, which had been lowered.",
        keeping(without=("dropout", "rate")),
    ),
    "dropout, generator": Wrong(
        "After resume, not as it was saved: what dropout draws next (its seed's state, in "
        "model.non_trainable_variables); the state of the generator, which draws the batches.",
        keeping(without=("dropout", "generator")),
    ),
    "dropout, history": Wrong(
        "After resume, not as it was saved: what dropout draws next (its seed's state, in "
        "model.non_trainable_variables); the history (the same list, in all digits: `history[:] "
        "= ...`).",
        keeping(without=("dropout", "history")),
    ),
    "rate, generator": Wrong(
        "After resume, not as it was saved: the learning rate, which had been lowered; the "
        "state of the generator, which draws the batches.",
        keeping(without=("rate", "generator")),
    ),
    "rate, history": Wrong(
        "After resume, not as it was saved: the learning rate, which had been lowered; the "
        "history (the same list, in all digits: `history[:] = ...`).",
        keeping(without=("rate", "history")),
    ),
    "generator, history": Wrong(
        "After resume, not as it was saved: the state of the generator, which draws the "
        "batches; the history (the same list, in all digits: `history[:] = ...`).",
        keeping(without=("generator", "history")),
    ),
    "dropout, momentum, count, rate, generator, history": Wrong(
        "After resume, not as it was saved: what dropout draws next (its seed's state, in "
        "model.non_trainable_variables); what the optimizer remembers, here its momentum; the "
        "optimizer's count of steps, on which schedules and Adam depend; the learning rate, "
        "which had been lowered; the state of the generator, which draws the batches; the "
        "history (the same list, in all digits: `history[:] = ...`).",
        keeping(without=("dropout", "momentum", "count", "rate", "generator", "history")),
    ),
    "averages, dropout, momentum, count, rate, generator, history": Wrong(
        "After resume, not as it was saved: the averages of batch normalisation; what dropout "
        "draws next (its seed's state, in model.non_trainable_variables); what the optimizer "
        "remembers, here its momentum; the optimizer's count of steps, on which schedules and "
        "Adam depend; the learning rate, which had been lowered; the state of the generator, "
        "which draws the batches; the history (the same list, in all digits: `history[:] = "
        "...`).",
        keeping(
            without=("averages", "dropout", "momentum", "count", "rate", "generator", "history")
        ),
    ),
    "momentum, count, rate, generator, history": Wrong(
        "After resume, not as it was saved: what the optimizer remembers, here its momentum; "
        "the optimizer's count of steps, on which schedules and Adam depend; the learning rate, "
        "which had been lowered; the state of the generator, which draws the batches; the "
        "history (the same list, in all digits: `history[:] = ...`).",
        keeping(without=("momentum", "count", "rate", "generator", "history")),
    ),
    "momentum, count, rate, generator": Wrong(
        "After resume, not as it was saved: what the optimizer remembers, here its momentum; "
        "the optimizer's count of steps, on which schedules and Adam depend; the learning rate, "
        "which had been lowered; the state of the generator, which draws the batches.",
        keeping(without=("momentum", "count", "rate", "generator")),
    ),
    "dropout, momentum, count, rate, generator": Wrong(
        "After resume, not as it was saved: what dropout draws next (its seed's state, in "
        "model.non_trainable_variables); what the optimizer remembers, here its momentum; the "
        "optimizer's count of steps, on which schedules and Adam depend; the learning rate, "
        "which had been lowered; the state of the generator, which draws the batches.",
        keeping(without=("dropout", "momentum", "count", "rate", "generator")),
    ),
    "dropout, momentum, count, rate": Wrong(
        "After resume, not as it was saved: what dropout draws next (its seed's state, in "
        "model.non_trainable_variables); what the optimizer remembers, here its momentum; the "
        "optimizer's count of steps, on which schedules and Adam depend; the learning rate, "
        "which had been lowered.",
        keeping(without=("dropout", "momentum", "count", "rate")),
    ),
    "momentum, count, rate": Wrong(
        "After resume, not as it was saved: what the optimizer remembers, here its momentum; "
        "the optimizer's count of steps, on which schedules and Adam depend; the learning rate, "
        "which had been lowered.",
        keeping(without=("momentum", "count", "rate")),
    ),
    "dropout, generator, history": Wrong(
        "After resume, not as it was saved: what dropout draws next (its seed's state, in "
        "model.non_trainable_variables); the state of the generator, which draws the batches; "
        "the history (the same list, in all digits: `history[:] = ...`).",
        keeping(without=("dropout", "generator", "history")),
    ),
    "count, rate, generator, history": Wrong(
        "After resume, not as it was saved: the optimizer's count of steps, on which schedules "
        "and Adam depend; the learning rate, which had been lowered; the state of the "
        "generator, which draws the batches; the history (the same list, in all digits: "
        "`history[:] = ...`).",
        keeping(without=("count", "rate", "generator", "history")),
    ),
    "momentum, rate": Wrong(
        "After resume, not as it was saved: what the optimizer remembers, here its momentum; "
        "the learning rate, which had been lowered.",
        keeping(without=("momentum", "rate")),
    ),
    "count, rate": Wrong(
        "After resume, not as it was saved: the optimizer's count of steps, on which schedules "
        "and Adam depend; the learning rate, which had been lowered.",
        keeping(without=("count", "rate")),
    ),
}

# 21.4


class Fit(keras.Model):
    """A small smooth network with a weight of its own."""

    def __init__(self, dropout=0.0, spare=False):
        super().__init__()
        keras.utils.set_random_seed(21)
        self.hidden = keras.layers.Dense(6, "tanh")
        self.last = keras.layers.Dense(1)
        self.drop = keras.layers.Dropout(dropout)
        self.scale = self.add_weight(name="scale", shape=(), initializer="ones")
        self(tf.zeros((1, 2)))

    def call(self, x, training=False):
        return self.scale * self.last(self.drop(self.hidden(x), training=training))


ROWS = np.random.RandomState(21).normal(size=(12, 3)).astype("float32")
BATCH = {"x": tf.constant(ROWS[:, :2]), "y": tf.constant(ROWS[:, 2:])}


def squares(model, batch):
    return (model(batch["x"]) - batch["y"]) ** 2


def mean_error(model, batch):
    return tf.reduce_mean(squares(model, batch))


def giving(loss_of=mean_error, batch=BATCH, make=Fit, result=lambda *three: three):
    """Return an answer to 21.4 from a loss."""

    def my_loss():
        return result(make(), batch, loss_of)

    return my_loss


def own_model():
    """Give a loss that holds its model itself."""
    model = Fit()
    return model, BATCH, lambda _, batch: mean_error(model, batch)


def steepness(model, batch, keep=tf.identity):
    with tf.GradientTape() as inner:
        inner.watch(batch["x"])
        y_hat = model(batch["x"])
    slopes = inner.gradient(y_hat, batch["x"])
    return tf.reduce_mean(keep(slopes) ** 2)


def flat_steepness(model, batch):
    slopes = tf.reduce_mean(0 * squares(model, batch)) + 0.0
    return tf.sqrt(slopes) + mean_error(model, batch)


def with_slope(factor):
    """Return what hands a loss through, and a multiple of its gradient back."""
    return tf.custom_gradient(lambda loss: (loss, lambda upstream: factor * upstream))


def stepping_loss(model, batch):
    with tf.GradientTape() as tape:
        loss = mean_error(model, batch)
    variables = model.trainable_variables
    keras.optimizers.SGD(0.1).apply(tape.gradient(loss, variables), variables)
    return loss


def noisy(model, batch):
    moved = batch["x"] + 0.1 * tf.random.normal(tf.shape(batch["x"]))
    return tf.reduce_mean((model(moved) - batch["y"]) ** 2)


def dropping(model, batch):
    return tf.reduce_mean((model(batch["x"], training=True) - batch["y"]) ** 2)


def without_scale(model, batch):
    y_hat = model.last(model.hidden(batch["x"]))
    return tf.reduce_mean((y_hat - batch["y"]) ** 2)


def by_numpy(model, batch):
    return tf.constant(np.mean((model(batch["x"]).numpy() - batch["y"].numpy()) ** 2))


def whole_answers(model, batch):
    right = tf.cast(tf.round(model(batch["x"])) == tf.round(batch["y"]), tf.float32)
    return 1 - tf.reduce_mean(right)


def straight_through(model, batch):
    """Count signs that differ, with the slopes of a sigmoid."""
    share = tf.sigmoid(model(batch["x"]))
    hard = share + tf.stop_gradient(tf.round(share) - share)
    return tf.reduce_mean((hard - tf.cast(batch["y"] > 0, tf.float32)) ** 2 + 0.1 * hard)


def frozen():
    model = Fit()
    model.trainable = False
    return model


def broken_scale(model, batch):
    """Have one weight's gradient closed, where the loss depends on it in two ways."""
    scale = tf.stop_gradient(tf.convert_to_tensor(model.scale))
    return mean_error(model, batch) + scale**2 * steepness(model, batch)


LOSSES = {
    "not three things": Wrong(
        "Return three things: the model, a batch, and the function itself, which takes both.",
        giving(result=lambda model, batch, loss_of: (model, batch)),
        giving(result=lambda model, batch, loss_of: loss_of),
        giving(result=lambda model, batch, loss_of: {"model": model}),
    ),
    "other order": Wrong(
        "The model comes first, a Keras model. A network of your own is one, too, if its class is "
        "a keras.Model.",
        giving(result=lambda model, batch, loss_of: (loss_of, model, batch)),
    ),
    "not built": Wrong(
        "The model has no trainable variables: it was never called, so it has no weights yet, or "
        "all are frozen. Give it an input of the right shape first.",
        giving(make=lambda: keras.Sequential([keras.layers.Dense(1)])),
        giving(make=frozen),
    ),
    "no batch": Wrong(
        "The second thing holds no tensor with a first axis for the examples. Give a batch: a "
        "tensor, or a tuple or dict of them.",
        giving(batch=None, result=lambda model, batch, loss_of: (model, 1.0, loss_of)),
    ),
    "a number in the batch": Wrong(
        "The batch holds something without an axis for the examples, such as a weight that is one "
        "number. What is no example is a constant of loss_of.",
        giving(batch={**BATCH, "weight": tf.constant(0.1)}),
        giving(batch={**BATCH, "weight": 0.1}),
    ),
    "loss called already": Wrong(
        "The third thing is a number: the function was called. Return its name without "
        "parentheses.",
        giving(result=lambda model, batch, loss_of: (model, batch, loss_of(model, batch))),
    ),
    "Python number": Wrong(
        "What loss_of returns is no tensor, so no path leads back from it: a number of Python or NumPy, or "
        "several things. Return one tensor; leave float, `.numpy()` and np out of it.",
        giving(lambda model, batch: float(mean_error(model, batch))),
        giving(lambda model, batch: np.mean(squares(model, batch).numpy())),
        giving(lambda model, batch: (mean_error(model, batch), batch)),
    ),
    "a loss for each example": Wrong(
        "The loss has an axis, as one number for each example has, or for each output. train_step "
        "needs one number: take the mean over all axes.",
        giving(lambda model, batch: tf.reduce_mean(squares(model, batch), axis=1)),
        giving(squares),
    ),
    "whole number": Wrong(
        "The loss is a whole number, a count. It has no slope: take a loss that changes smoothly.",
        giving(lambda model, batch: tf.reduce_sum(tf.cast(squares(model, batch) > 0.5, tf.int32))),
    ),
    "not finite": Wrong(
        "The loss is not a finite number. Look for a logarithm of 0 or of a negative number, and "
        "for a division by 0.",
        giving(lambda model, batch: tf.math.log(mean_error(model, batch) * 0.0)),
        giving(lambda model, batch: mean_error(model, batch) / 0.0),
    ),
    "steps in the loss": Wrong(
        "Calling the loss moves the weights. It should compute one number, and leave the step to "
        "train_step.",
        giving(stepping_loss),
    ),
    "random loss": Wrong(
        "A second call gives another loss. Either it draws by itself, noise, dropout or shares: draw "
        "before, and hand it in with the batch (leave dropout out here). Or it keeps something from "
        "call to call, as a counter: leave that out.",
        giving(noisy),
        giving(dropping, make=lambda: Fit(0.5)),
    ),
    "another model": Wrong(
        "loss_of does not use the model that it is given, but one of its own. Use the argument.",
        own_model,
    ),
    "no gradient at all": Wrong(
        "None of the variables has a gradient: the path from the loss back to the model is cut. "
        "Look for NumPy, argmax or round, comparisons, casts and stop_gradient.",
        giving(by_numpy),
        giving(whole_answers),
        giving(lambda model, batch: tf.stop_gradient(mean_error(model, batch))),
    ),
    "some without a gradient": Wrong(
        "Some variables have no gradient: the loss does not use them, or not by a path that a tape "
        "can follow. Which, tape.gradient tells you, in the order of model.trainable_variables.",
        giving(without_scale),
    ),
    "gradient not finite": Wrong(
        "The loss is finite, and its gradient is not. A root or a norm of 0 does that: add 1e-12 "
        "under the root.",
        giving(flat_steepness),
    ),
    "all zero": Wrong(
        "Every gradient is 0: the loss is flat here. Look for sign, a clip out of its range, or a "
        "second derivative of a network of ReLU.",
        giving(
            lambda model, batch: (
                tf.clip_by_value(mean_error(model, batch), 100.0, 200.0)
                + 0 * tf.reduce_mean(batch["x"])
            )
        ),
    ),
    "flat": Wrong(
        "The tape gives gradients, and small steps along them leave the loss exactly as it is. Its "
        "value is a count, behind argmax, round or a comparison, and the slope was put beside it "
        "(straight through). Take a loss that changes smoothly.",
        giving(straight_through),
    ),
    "turned": Wrong(
        "The tape's gradient has the wrong sign, everywhere. Look at your custom_gradient.",
        giving(lambda model, batch: with_slope(-1)(mean_error(model, batch))),
    ),
    "scaled": Wrong(
        "The tape's gradient is a constant factor off, everywhere. Look at your custom_gradient.",
        giving(lambda model, batch: with_slope(2)(mean_error(model, batch))),
    ),
    "a closed path": Wrong(
        "The tape's gradients are not the slopes of this loss: a part of a path is closed, by "
        "stop_gradient, a custom_gradient or NumPy. If you close it on purpose, compute that part "
        "before, and hand it in with the batch.",
        giving(
            lambda model, batch: (
                mean_error(model, batch) + steepness(model, batch, tf.stop_gradient)
            )
        ),
        giving(broken_scale),
    ),
    "added up": Wrong(
        "A batch with every example twice has a larger loss, so the step size would depend on the "
        "batch. Something goes over the examples that is no mean, such as a sum, a norm or a softmax "
        "along axis 0. Take means over them, and a softmax over the classes, axis=-1.",
        giving(lambda model, batch: tf.reduce_sum(squares(model, batch))),
        giving(lambda model, batch: mean_error(model, batch) + tf.reduce_sum(batch["x"] ** 2)),
        giving(lambda model, batch: tf.norm(squares(model, batch))),
    ),
    "divided again": Wrong(
        "A batch with every example twice has a smaller loss: it is divided by the batch's size "
        "once too often.",
        giving(
            lambda model, batch: mean_error(model, batch) / tf.cast(len(batch["x"]), tf.float32)
        ),
    ),
    "nearly as large": Wrong(
        "With every example twice, the loss is nearly the same, but it should be the same. Look for a "
        "division by n - 1, for an example that is left out, as by [:-1], for rows that are known by "
        "their place, for a small term that is a sum, or for noise that loss_of draws with a fixed "
        "seed, which belongs into the batch.",
        giving(lambda model, batch: tf.reduce_sum(squares(model, batch)) / (len(batch["x"]) - 1)),
    ),
    "another order": Wrong(
        "With its examples in another order the batch has another loss. Either some of them do not "
        "count, as behind a [:8], or their places do: take means over all of them.",
        giving(lambda model, batch: tf.reduce_mean(squares(model, batch)[:8])),
    ),
    "another batch": Wrong(
        "The loss does not depend on the batch that it is given. Use the argument, and no data from "
        "elsewhere.",
        giving(lambda model, batch: mean_error(model, BATCH)),
    ),
    "a part of the batch": Wrong(
        "A tensor of the batch changes nothing in the loss. Use it, or leave it out of the batch.",
        giving(lambda model, batch: tf.reduce_mean(model(batch["x"]) ** 2)),
    ),
    "each with all": Wrong(
        "A tensor of shape (n,) in your batch may stand in any order, and the loss is the same: every "
        "example is compared with all of its numbers. (n, 1) minus (n,) is (n, n): give both one "
        "shape.",
        giving(mean_error, {**BATCH, "y": BATCH["y"][:, 0]}),
    ),
    "penalties counted": Wrong(
        "The loss adds sum(model.losses), which train_step adds, too: regularisers would count "
        "twice. Leave it out here.",
        giving(lambda model, batch: mean_error(model, batch) + sum(model.losses)),
    ),
}

# 21.5


def always(answers):
    return lambda inputs: answers


def of_task(name):
    return lambda answers_of: lambda inputs: {name: answers_of(inputs[name].numpy())}


of_digits, of_river, of_noise = map(of_task, ("few labels", "river", "new digits"))


def pictures_and_labels():
    from course_utils import load_digits

    pictures, labels = load_digits()
    return (pictures[:1500] / 16).astype("float32"), labels[:1500]


def nearest(pictures, count=1500):
    """Return the labels of the nearest of the first pictures."""
    known, labels = pictures_and_labels()
    squares = (known[:count] ** 2).sum(1) - 2 * pictures @ known[:count].T
    return labels[np.argmin(squares, axis=1)]


def held_out_labels(pictures):
    """Return the labels of the nearest of the held-out pictures."""
    from course_utils import load_digits

    known, labels = (part[1500:] for part in load_digits())
    known = known / 16
    squares = (known**2).sum(1) - 2 * pictures @ known.T
    return labels[np.argmin(squares, axis=1)]


def by_pixels(pictures):
    return np.floor(997 * pictures.sum(axis=1)) % 10


def cloud(x, t):
    variance = 0.0625 + 0.1 * t
    return 0.25 * np.exp(-((x - 0.6 - 1.3 * t) ** 2) / (2 * variance)) / np.sqrt(variance)


def at(points):
    return cloud(points[:, 0], points[:, 1])


def chosen_by(noise):
    """Return for each noise one of the first numbers, always the same."""
    return (np.abs(noise * 1e4).astype(int)).sum(axis=1) % 1500


def one_of_training(noise):
    return pictures_and_labels()[0][chosen_by(noise)]


def one_of_held_out(noise):
    from course_utils import load_digits

    return load_digits()[0][1500:][chosen_by(noise) % 297] / 16


def pixel_by_pixel(noise):
    """Take each pixel from a training picture of its own."""
    known, _ = pictures_and_labels()
    places = (chosen_by(noise)[:, None] * 31 + np.arange(64) * 577) % 1500
    return known[places, np.arange(64)]


def drawn_anew(noise):
    return np.random.uniform(0, 1, (len(noise), 64))


HELD_OUT = {
    "no dict": Wrong(
        "Return a dict from the name of your task to its answers. Whoever reads `inputs` knows "
        "which tasks there are.",
        lambda inputs: nearest(inputs["few labels"].numpy(), 40),
        lambda inputs: None,
    ),
    "empty dict": Wrong(
        "The dict is empty. Put in the answers of the task that you chose.",
        always({}),
    ),
    "another name": Wrong(
        'No key is the name of a task. The names are those of `inputs`: "few labels", "river" and '
        '"new digits".',
        always({"labels": 1.0}),
    ),
    "several tasks": Wrong(
        "There are answers of more than one task, and none is beyond its line. Hand in those of one "
        "task: the check then says what is wrong with them.",
        lambda inputs: {
            "few labels": np.full(len(inputs["few labels"]), 3),
            "river": np.zeros(len(inputs["river"])),
        },
    ),
    "no numbers": Wrong(
        "The answers are no numbers. Return a tensor or an array.",
        always({"few labels": "seven"}),
        always({"river": None}),
    ),
    "not finite": Wrong(
        "There is a nan or an infinity among the answers. Look for a training that diverged.",
        of_river(lambda points: np.where(points[:, 0] < 1, np.nan, at(points))),
    ),
    "scores": Wrong(
        "These are ten scores for each picture. Take their argmax.",
        of_digits(lambda pictures: np.eye(10)[nearest(pictures)]),
    ),
    "not one class each": Wrong(
        "Return one class for each picture, as many as there are pictures.",
        of_digits(lambda pictures: nearest(pictures)[:10]),
        of_digits(lambda pictures: 0.8),
    ),
    "no classes": Wrong(
        "The classes are whole numbers from 0 to 9. What you return has numbers between them.",
        of_digits(lambda pictures: nearest(pictures) * 0.9 + 0.3),
    ),
    "classes by the batch": Wrong(
        "A picture gets another class when fewer pictures come with it. Answer the pictures of "
        "`inputs`, normalise them by numbers of the training, and call the model with "
        "training=False.",
        of_digits(lambda pictures: np.arange(len(pictures)) % 10),
    ),
    "one class": Wrong(
        "Every picture gets the same class. Did the training run, and are pixels from 0 to 1 in "
        "training, as they are here?",
        of_digits(lambda pictures: np.full(len(pictures), 3)),
    ),
    "classes moved by one": Wrong(
        "The classes are right, but moved by one. They count from 0.",
        of_digits(lambda pictures: nearest(pictures) + 1),
        of_digits(lambda pictures: nearest(pictures) - 1),
    ),
    "by chance": Wrong(
        "About as many are right as by chance. Did the training run (`train` without parentheses "
        "calls nothing), and did the layer that gives the classes get a gradient? If so, were "
        "pictures and labels shuffled apart, or the pixels scaled otherwise than in training?",
        of_digits(by_pixels),
    ),
    "too good": Wrong(
        "At least 98 % are right. With all 1,500 labels a network of one hidden layer had 92 %, and "
        "the nearest picture has 95 %: so many come from the labels of the held-out digits. Train "
        "without them, on the 40.",
        of_digits(held_out_labels),
    ),
    "labels not better": Wrong(
        "The classes mean something, but the accuracy is below 0.80, about that of the nearest "
        "labelled picture. The other pictures should help: measure with and without them. If it "
        "stays there, say so and what you tried: that is a result, too.",
        of_digits(lambda pictures: nearest(pictures, 25)),
    ),
    "one number for the river": Wrong(
        "This is one number, perhaps the speed. Return the dye at each point.",
        of_river(lambda points: 1.3),
    ),
    "another shape for the river": Wrong(
        "Return one number for each point, of shape (n,) or (n, 1).",
        of_river(lambda points: np.stack([at(points), at(points)], axis=1)),
    ),
    "river by the batch": Wrong(
        "A point gets another answer the second time, when fewer points come with it. Answer each by "
        "itself, with a model that was trained above the function and is not made in it.",
        of_river(lambda points: at(points) - at(points).mean()),
    ),
    "the mean of the measurements": Wrong(
        "All points get nearly the mean of the dye. That comes of comparing each answer with every "
        "measurement: (n, 1) minus (n,) is (n, n). Give both one shape.",
        of_river(lambda points: 0 * points[:, 0] + 0.17),
    ),
    "everywhere the same": Wrong(
        "All points get nearly the same answer. Did the training run, and do its gradients reach the "
        "network?",
        of_river(lambda points: 0 * points[:, 0]),
    ),
    "too close": Wrong(
        "The error is below 0.005. The cloud's own form, fitted to the 80 measurements with their "
        "noise, comes to 0.012: so small an error comes from the formula or from exact dye. Train on "
        "the measurements and the equation.",
        of_river(at),
    ),
    "just short": Wrong(
        "The error in the second hour is between 0.05, the line, and 0.06. Train longer, or draw more "
        "points for the residual. If it stays there, say so and what you tried: that is a result, "
        "too.",
        of_river(lambda points: at(points) + 0.055),
    ),
    "sign turned": Wrong(
        "The answers are the dye with the wrong sign.",
        of_river(lambda points: -at(points)),
    ),
    "scaled answers": Wrong(
        "The cloud is where it should be, but by a factor too high or too low. Undo what you "
        "divided by.",
        of_river(lambda points: 0.5 * at(points)),
    ),
    "first hour only": Wrong(
        "In the first hour the error is below 0.05, and in the second above 0.06: the equation does "
        "not hold well enough there, or its speed is not found yet. Draw points of the second hour "
        "for the residual, and train longer.",
        of_river(lambda points: np.where(points[:, 1] < 1, at(points), 0.0)),
        of_river(lambda points: cloud(points[:, 0], np.minimum(points[:, 1], 1))),
    ),
    "as zeros": Wrong(
        "In both hours the answers are hardly nearer to the dye than zeros are. Did the training run "
        "(`train` without parentheses calls nothing), and are the columns in their order, x and then "
        "t? A cloud that is not carried along is as far off.",
        of_river(lambda points: np.sin(3 * points[:, 0] + points[:, 1]) * 0.3),
        of_river(lambda points: cloud(points[:, 1], points[:, 0])),
    ),
    "river not better": Wrong(
        "The error in the second hour is above 0.06, and the first hour is off, too. Look at both "
        "parts of the loss, the measurements and the residual, at their weights, and at the order of "
        "the columns, x and then t.",
        of_river(lambda points: cloud(points[:, 0], 0.5 * points[:, 1])),
    ),
    "another shape for pictures": Wrong(
        "Return one picture of 64 pixels for each row of the noise.",
        of_noise(lambda noise: one_of_training(noise)[:, :32]),
    ),
    "up to 16": Wrong(
        "The pixels go up to 16. Here they are from 0 to 1.",
        of_noise(lambda noise: 16 * one_of_training(noise)),
    ),
    "out of range": Wrong(
        "Some pixels are below 0 or above 1. End the generator with a sigmoid, or undo what you "
        "did to the training pictures.",
        of_noise(lambda noise: 2 * one_of_training(noise) - 1),
    ),
    "not by the noise": Wrong(
        "A row of noise gives another picture the second time, or with fewer rows beside it. Either "
        "the picture does not come from its noise, or something else is drawn. Make it of its row "
        "alone, by a generator with training=False.",
        of_noise(drawn_anew),
    ),
    "grey": Wrong(
        "Every pixel is grey, from 0.1 to 0.9, as a generator with a sigmoid has it before any "
        "training. Did the training run? A name without parentheses calls nothing.",
        of_noise(lambda noise: 0.5 + 0.1 * np.tanh(np.tile(noise, 4))),
    ),
    "all alike": Wrong(
        "The pictures are nearly all the same, whatever the noise. If the training ran, the generator "
        "has collapsed: give the critic more steps, or its penalty more weight.",
        of_noise(lambda noise: np.repeat(one_of_training(noise[:1] * 0), len(noise), axis=0)),
    ),
    "copies": Wrong(
        "At least half of the pictures lie within 0.8 of a training picture, by the root of the "
        "summed squares. For half of the held-out digits that distance is above 1.1: make new ones.",
        of_noise(one_of_training),
    ),
    "held-out digits": Wrong(
        "At least half of the pictures lie within 0.8 of a held-out digit, by the root of the summed "
        "squares: they are those digits, or nearly. Held-out digits are for the comparison alone: "
        "make new ones.",
        of_noise(one_of_held_out),
    ),
    "digits not better": Wrong(
        "More than 90 % of the pictures of a kind, yours or real ones, have one of their kind as their "
        "nearest: they are easily told apart. Train longer, and look at what you make.",
        of_noise(pixel_by_pixel),
    ),
}

# 21.6


def numbers(model):
    return [variable.numpy() for variable in model.trainable_variables]


def largest(change):
    return float(np.max(np.abs(change)))


def moved(before_of=numbers, after_of=numbers, measure=largest, each_batch=False):
    """Return an answer to 21.6 that keeps, compares or measures something else."""

    def movement(model, step, batches):
        before = before_of(model)
        for x, y in batches:
            if each_batch:
                before = before_of(model)
            step(model, x, y)
        return [measure(b - a) for a, b in zip(before, after_of(model), strict=True)]

    return movement


def kept_too_late(model, step, batches):
    for x, y in batches:
        step(model, x, y)
    before = numbers(model)
    return [largest(b - a) for a, b in zip(before, numbers(model), strict=True)]


def summed(model, step, batches):
    path = 0.0
    for x, y in batches:
        before = numbers(model)
        step(model, x, y)
        path = path + np.array(
            [largest(b - a) for a, b in zip(before, numbers(model), strict=True)]
        )
    return path.tolist()


MOVED = {
    "the variables themselves": Wrong(
        "Every number is 0: you kept the variables themselves, which move along, or their numbers "
        "after the last step. Keep the numbers, variable.numpy(), before the first.",
        moved(
            after_of=lambda model: model.trainable_variables,
            before_of=lambda model: [*model.trainable_variables],
        ),
        moved(before_of=lambda model: [v.value for v in model.trainable_variables]),
        kept_too_late,
    ),
    "last batch alone": Wrong(
        "This is how far the last batch moved them. Keep the numbers once, before the first batch.",
        moved(each_batch=True),
    ),
    "steps added up": Wrong(
        "These are the movements of all batches added up. The question is how far each variable "
        "is from where it was: compare the end with the beginning.",
        summed,
    ),
    "signed": Wrong(
        "A movement downwards counts, too: take the largest absolute value.",
        moved(measure=lambda change: float(np.max(change))),
    ),
    "mean movement": Wrong(
        "This is the mean of the entries' movements. Take that of the entry that moved most.",
        moved(measure=lambda change: float(np.mean(np.abs(change)))),
    ),
    "norm": Wrong(
        "This is the norm of each variable's change. Take the entry that moved most alone.",
        moved(measure=lambda change: float(np.linalg.norm(change))),
    ),
    "frozen ones, too": Wrong(
        "Variables that are not trained stand in your list as well: get_weights and weights hold "
        "them. Go through model.trainable_variables.",
        moved(lambda model: model.get_weights(), lambda model: model.get_weights()),
    ),
}

MISTAKES = {
    "21.1": CLIPPED,
    "21.2": STEPS,
    "21.3": KEPT,
    "21.4": LOSSES,
    "21.5": HELD_OUT,
    "21.6": MOVED,
}
