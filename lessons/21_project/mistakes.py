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
        "Nothing is clipped. If the joint norm of a layer's gradients is above the limit, scale "
        "these gradients by one factor.",
        clipping(clips=lambda number, key: False),
    ),
    "by variable": Wrong(
        "You clip each variable separately, so a kernel and its bias do not share a factor. "
        "Use the joint norm of a layer: group by `variable.path` up to the last slash.",
        clipping(owner=lambda variable: variable.path),
    ),
    "all together": Wrong(
        "You scale all gradients by the norm of the whole model. Use one norm per layer: group by "
        "`variable.path` up to the last slash, not by its first component, which may be the "
        "model's name.",
        clipping(owner=lambda variable: "all"),
    ),
    "by value": Wrong(
        "You clip the entries by value, which changes the direction of a gradient. Scale a "
        "layer's gradients by one factor.",
        by_value,
    ),
    "by the last name": Wrong(
        "You use one norm for all kernels and one for all biases, because `variable.name` is "
        "the same in every layer. Group by `variable.path` up to the last slash.",
        clipping(owner=lambda variable: variable.name),
    ),
    "layers of one name": Wrong(
        "You treat two layers with the same name in different blocks as one layer. Group by "
        "the whole path up to the last slash.",
        clipping(owner=lambda variable: variable.path.split("/")[-2]),
    ),
    "in pairs": Wrong(
        "You treat every two gradients as one layer, but a layer may have no bias, and the "
        "model may have its own weight. Group by `variable.path`.",
        in_pairs,
    ),
    "top of the model": Wrong(
        "You treat a block inside the model as one layer, and ignore the model's own weight. "
        "Group by `variable.path`, not by `model.layers`.",
        by_names,
    ),
    "None for the model's own weight": Wrong(
        "Your list contains `None` for the model's own weight, because no layer in `model.layers` "
        "contains this weight. Loop over `model.trainable_variables`, and group by "
        "`variable.path`.",
        of_layers_alone,
    ),
    "only what is in model.layers": Wrong(
        "The model's own weight is missing from your list, because no layer in `model.layers` "
        "contains it. Loop over `model.trainable_variables`.",
        clipping(result=lambda clipped, gradients: clipped[1:]),
        next_gradients,
        calls=(2,),
    ),
    "first pieces of the path": Wrong(
        "The layers of one block share a norm in your function. Group by the path up to its "
        "*last* slash.",
        clipping(owner=lambda variable: tuple(variable.path.split("/")[:2])),
    ),
    "model's own weight left": Wrong(
        "You do not clip the model's own weight. Treat the model itself as that weight's "
        "layer: group by the path up to the last slash, even if there is no other slash.",
        clipping(clips=lambda number, key: "/" in key),
    ),
    "pair taken for a list": Wrong(
        "An entry of your list is itself a list, because `tf.clip_by_global_norm` returns two "
        "values, the clipped list and the global norm. Use only the list.",
        pairs_kept,
    ),
    "norm returned, too": Wrong(
        "You return both results of `tf.clip_by_global_norm`, the clipped list and the global "
        "norm. Use only the list, and call the function once per layer.",
        lambda model, gradients, limit: tf.clip_by_global_norm(gradients, limit),
    ),
    "frozen weights counted": Wrong(
        "You pair the gradients with `model.weights`, which also contains the frozen layer. "
        "Use `model.trainable_variables`, which has the order of the gradients.",
        lambda model, gradients, limit: clipping(counted=lambda v: model.weights)(
            model, gradients, limit
        ),
        calls=(1,),
    ),
    "short ones lengthened": Wrong(
        "You scale up layers whose norm is below the limit. Leave their gradients unchanged.",
        clipping(factor=lambda norm, limit: limit / norm),
    ),
    "long ones left": Wrong(
        "You scale the layers whose norm is below the limit, but not those above it. Multiply by "
        "limit / max(norm, limit).",
        clipping(factor=lambda norm, limit: limit / tf.minimum(norm, limit)),
    ),
    "divided by the norm": Wrong(
        "The gradients of a layer above the limit end up with norm 1. Multiply by limit / norm.",
        clipping(factor=lambda norm, limit: tf.where(norm > limit, 1 / norm, 1.0)),
    ),
    "root left out": Wrong(
        "You use the sum of the squares as the norm. Take its square root.",
        clipping(norm=lambda gradients: norm_of(gradients) ** 2),
    ),
    "square compared": Wrong(
        "You compare the *square* of the norm with the limit, so some layers above the limit "
        "are not clipped. Compare the norm itself.",
        clipping(factor=lambda norm, limit: tf.where(norm**2 > limit, limit / norm, 1.0)),
    ),
    "divided by the square": Wrong(
        "You scale the right layers, but not to the limit. Multiply by limit / norm, not limit "
        "/ norm².",
        clipping(factor=lambda norm, limit: tf.where(norm > limit, limit / norm**2, 1.0)),
    ),
    "norms added up": Wrong(
        "You add the norms of a layer's gradients. Use the joint norm, the square root of the sum "
        "of all squares.",
        clipping(norm=lambda gradients: sum(tf.norm(g) for g in gradients)),
    ),
    "largest norm": Wrong(
        "You use the largest norm of a layer's gradients. Use the joint norm, the square root of "
        "the sum of all squares.",
        clipping(norm=lambda gradients: tf.reduce_max([tf.norm(g) for g in gradients])),
    ),
    "mean square": Wrong(
        "You average the squares, so a wide layer is hardly clipped. Sum them.",
        clipping(
            norm=lambda gradients: (
                norm_of(gradients) / np.sqrt(float(sum(tf.size(g).numpy() for g in gradients)))
            )
        ),
        clipping(norm=lambda gradients: tf.sqrt(sum(tf.reduce_mean(g**2) for g in gradients))),
    ),
    "kernel's norm": Wrong(
        "You compute each layer's factor from only its first gradient. Include all of its "
        "gradients in the joint norm.",
        clipping(norm=lambda gradients: tf.norm(gradients[0])),
    ),
    "first layer only": Wrong(
        "You clip only the first layer. Clip every layer.",
        clipping(clips=lambda number, key: number == 0),
    ),
    "last layer only": Wrong(
        "You clip only the last layer. Clip every layer.",
        clipping(clips=lambda number, key: "last" in key or "down" in key),
    ),
    "limit shared": Wrong(
        "You divide the limit among the layers. Use the whole limit for each layer.",
        limit_shared,
    ),
    "None left out": Wrong(
        "Your list is shorter than `gradients`, because you dropped a `None`, so the later entries "
        "belong to the wrong variables. Keep each `None` in its position.",
        clipping(result=lambda clipped, gradients: [g for g in clipped if g is not None]),
    ),
    "zeros for None": Wrong(
        "You replaced a `None` with zeros, but an optimizer with momentum still moves a variable "
        "whose gradient is 0. Keep the `None`.",
        clipping(result=zeros_for_none((4, 3))),  # of the variable's shape
        clipping(result=zeros_for_none(3)),
    ),
    "None computed with": Wrong(
        "You compute with a gradient that is `None`, because the variable was not used. Leave "
        "it out of the norm, and keep it in the list.",
        unguarded(),
        unguarded(tf.linalg.global_norm),
        unguarded(lambda gradients: tf.linalg.global_norm([g * 1.0 for g in gradients])),
        unguarded(lambda gradients: tf.sqrt(sum(tf.reduce_sum(tf.square(g)) for g in gradients))),
    ),
    "root of no gradients": Wrong(
        "You take the square root of an empty sum, Python's integer 0, because a layer has no "
        "gradients at all. Skip such a layer.",
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
        "The weights did not change: nothing was applied, or every gradient is 0. Call "
        "`optimizer.apply(gradients, variables)`, and do not clip the loss itself.",
        stepping(apply=lambda optimizer, gradients, variables: None),
    ),
    "penalties left out": Wrong(
        "The loss does not include the regularization. Add `sum(model.losses)` to the loss, "
        "inside the tape's block.",
        stepping(penalties=lambda model: 0.0),
    ),
    "penalties twice": Wrong(
        "The loss includes the penalties twice. Add `sum(model.losses)` once.",
        stepping(penalties=lambda model: 2 * sum(model.losses)),
    ),
    "penalties averaged": Wrong(
        "You average the penalties. Sum them, as `fit` does: `sum(model.losses)`.",
        stepping(penalties=lambda model: tf.reduce_mean(model.losses)),
        calls=(0,),
    ),
    "first penalty only": Wrong(
        "You add only one penalty, but `model.losses` is a list. Add all of its entries: "
        "`sum(model.losses)`.",
        stepping(penalties=lambda model: model.losses[0]),
    ),
    "penalties divided by the batch": Wrong(
        "You divide the penalties by the batch size. Add them unchanged, as `fit` does: "
        "`sum(model.losses)`.",
        stepping(penalties=lambda model: sum(model.losses) / 8),
    ),
    "penalties read below the block": Wrong(
        "You read `model.losses` after the tape's block, but it is computed when you read it, "
        "so the tape misses it. Read it inside the block.",
        penalties_below,
    ),
    "penalties not clipped": Wrong(
        "You clip only the gradient of the data loss, and add the gradient of the penalties "
        "afterward. Pass `clip` the gradient of the sum of both.",
        penalties_unclipped,
    ),
    "loss_of not used": Wrong(
        "You compute your own mean squared error. Call `loss_of(model, batch)`.",
        stepping(data_loss=mean_squares),
    ),
    "two steps": Wrong("You take two whole steps per call. Take one.", two_steps),
    "penalties before the call": Wrong(
        "The penalties on activations are missing. Compute `sum(model.losses)` *after* `loss_of` "
        "has called the model; the regularizers of the weights are not enough.",
        penalties_before,
    ),
    "clip left out": Wrong(
        "You apply the unclipped gradients. Pass the result of `clip(model, gradients)` to the "
        "optimizer.",
        stepping(cut=unclipped),
    ),
    "None left out of the clipping": Wrong(
        "You pass `clip` fewer gradients than the model has variables, because you leave out "
        "`None`. Pass it the list from `tape.gradient` unchanged.",
        stepping(cut=of_those_used),
    ),
    "None left out of the pairs": Wrong(
        "You leave out gradients that are `None`, so the ones after them are paired with the "
        "wrong variables. Keep each `None`; the optimizer skips it.",
        stepping(apply=those_left),
    ),
    "zeros asked for": Wrong(
        "`unconnected_gradients` fails for an unused Keras variable. Remove it: `clip` and the "
        "optimizer accept `None`.",
        with_zeros,
    ),
    "batch taken apart": Wrong(
        "You pass `loss_of` something other than the model and the batch. Call `loss_of(model, "
        "batch)`; it calls the model itself.",
        stepping(data_loss=lambda model, loss_of, batch: loss_of(batch[1], model(batch[0]))),
    ),
    "arguments of loss_of exchanged": Wrong(
        "The arguments of `loss_of` are swapped. Pass the model first, then the batch.",
        stepping(data_loss=lambda model, loss_of, batch: loss_of(batch, model)),
    ),
    "arguments of clip exchanged": Wrong(
        "The arguments of `clip` are swapped. Pass the model first, then the gradients.",
        stepping(cut=lambda clip, model, gradients: clip(gradients, model)),
    ),
    "optimizer of the model": Wrong(
        "You use the model's optimizer, but the model was not compiled. Use the argument "
        "`optimizer`.",
        stepping(data_loss=lambda model, loss_of, batch: model.optimizer),
    ),
    "clipped twice": Wrong(
        "You call `clip` twice, the second time on its own result. Call it once.",
        stepping(cut=lambda clip, model, gradients: clip(model, clip(model, gradients))),
    ),
    "clipped in another order": Wrong(
        "You pass `clip` the gradients in a different order than the variables. Pass it the list "
        "from `tape.gradient` unchanged.",
        stepping(cut=lambda clip, model, gradients: clip(model, gradients[::-1])[::-1]),
    ),
    "climbs": Wrong(
        "Your step goes uphill. Pass the gradients to the optimizer without a minus sign.",
        stepping(cut=lambda clip, *given: [-g for g in clip(*given)]),  # raises at a None
        stepping(apply=climbing),
    ),
    "applied twice": Wrong(
        "You apply the gradients twice. Apply them once.",
        stepping(apply=applied_twice),
    ),
    "update by hand": Wrong(
        "The first step is right, but the second is not, because the optimizer's momentum is "
        "lost. Call `apply` on the given `optimizer`, instead of updating by hand or "
        "creating a new one.",
        stepping(apply=by_hand),
        stepping(apply=with_a_copy),
    ),
    "another optimizer": Wrong(
        "You use your own optimizer. Use the argument `optimizer`.",
        stepping(apply=with_adam),
    ),
    "kernels only": Wrong(
        "Only the kernels change. Update every trainable variable.",
        stepping(variables=kernels, cut=unclipped),
    ),
    "last layer only": Wrong(
        "Only the last layer changes. Update every trainable variable.",
        stepping(variables=lambda model: model.layers[-1].trainable_variables, cut=unclipped),
    ),
    "inference": Wrong(
        "The model runs in inference mode: dropout drops nothing, and the moving averages do "
        "not change. Pass the model itself to `loss_of`, which calls it correctly.",
        stepping(data_loss=as_in_inference),
    ),
    "loss_of twice": Wrong(
        "You run the model twice per step, so batch normalization's averages are updated "
        "twice. Call `loss_of` once.",
        stepping(data_loss=called_twice),
    ),
    "loss above the block": Wrong(
        "You call `loss_of` before the tape's block, so only the penalties have a gradient. Call "
        "it inside the block.",
        loss_above,
    ),
    "loss of the data alone": Wrong(
        "The weights are right, but the loss that you return lacks the penalties. Include them, as "
        "`fit` does.",
        stepping(result=lambda loss, data, model, loss_of, batch: data),
    ),
    "loss in a list": Wrong(
        "The weights are right, but you return more than the loss. Return only the loss, one "
        "number.",
        stepping(result=lambda loss, data, model, loss_of, batch: [loss, data]),
        stepping(result=lambda loss, data, model, loss_of, batch: {"loss": loss}),
    ),
    "no loss returned": Wrong(
        "The weights are right, but your function returns nothing. Return the loss.",
        stepping(result=lambda *given: None),
    ),
    "loss after the step": Wrong(
        "The weights are right, but you compute the loss again after the step, which also "
        "updates the averages again. Return the loss that you differentiated.",
        stepping(
            result=lambda loss, data, model, loss_of, batch: (
                loss_of(model, batch) + sum(model.losses)
            )
        ),
    ),
    "penalties after the step": Wrong(
        "The weights are right, but the penalties in your loss were computed after the step. "
        "Return the loss that you differentiated.",
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
        "If nothing was saved under this path, `resume` raises an error. But this is normal the "
        "first time: return `False` and change nothing.",
        keeping(absent=raising),
    ),
    "by path": Wrong(
        "`resume` looks up a name that was not saved: a variable's path contains a number, as "
        "in `sequential_7`, which differs in another run. Store the values in the order of "
        "the variables.",
        by_path(lambda file: file),
        by_path(dict),
    ),
    "one function": Wrong(
        "You did not return two functions. Return `save, resume`, in this order.",
        lambda *run: keeping()(*run)[0],
    ),
    "functions called": Wrong(
        "You called the functions. Return the functions themselves: `return save, resume`.",
        lambda *run: (None, False),
    ),
    "True without a file": Wrong(
        "`resume` returns `True` although nothing was saved. Return `False`, so that a script "
        "knows that it starts a new run.",
        keeping(absent=lambda model: True),
    ),
    "None without a file": Wrong(
        "`resume` returns nothing if nothing was saved. Return `False`; if it already does, "
        "your two functions are swapped: return `save` first.",
        keeping(absent=lambda model: None),
        lambda *run: keeping()(*run)[::-1],
    ),
    "another path's": Wrong(
        "`resume` finds a file that was saved under another path. Write to the given path, and "
        "look only there.",
        keeping(place=lambda path: f"{os.path.dirname(path)}/state"),
    ),
    "changed without a file": Wrong(
        "`resume` changes the run although nothing was saved. Change nothing in that case.",
        keeping(absent=moves_weights),
    ),
    "history cleared by saving": Wrong(
        "`save` empties the history of the current run. Save a copy, and change nothing.",
        keeping(after_save=lambda model, optimizer, generator, history: history.clear()),
    ),
    "rate changed by saving": Wrong(
        "`save` changes the learning rate of the current run. Write the file, and change nothing.",
        keeping(after_save=halves_rate),
    ),
    "generator moved by saving": Wrong(
        "`save` draws from the generator, so the run continues with different batches. Read its "
        "state without drawing.",
        keeping(after_save=lambda model, optimizer, generator, history: generator.uniform((1,))),
    ),
    "kept in memory": Wrong(
        "After the file was moved to another folder, `resume` finds nothing: the values are only "
        "in memory, or in a different file (`np.savez` adds `.npz`). Write everything to `path`.",
        keeping(place=lambda path: path.replace("b/run", "c")),
    ),
    "nothing returned after resume": Wrong(
        "The run is resumed, but `resume` returns nothing. Return `True`.",
        keeping(found=None),
    ),
    "False after resume": Wrong(
        "The run is resumed, but `resume` returns `False`. Return `True`.",
        keeping(found=False),
    ),
    "first save kept": Wrong(
        "`resume` returns `True`, but nothing is as it was at the last save. Let `save` read "
        "the current values and overwrite an earlier file, and let `resume` assign them: "
        "`variable.assign(value)`, `history[:] = ...`.",
        keeping(overwrite=False),
    ),
    "values of the start": Wrong(
        "`resume` restores the history, but no variable. Read the values in `save`, not in "
        "`keeper`, and assign them in `resume`.",
        keeping(
            without=("weights", "averages", "dropout", "momentum", "count", "rate", "generator")
        ),
    ),
    "weights": Wrong(
        "After `resume`, the weights are not what they were when `save` was called. Save and "
        "restore them.",
        keeping(without=("weights",)),
    ),
    "averages": Wrong(
        "After `resume`, batch normalization's averages (in `model.non_trainable_variables`) are "
        "not what they were when `save` was called. Save and restore them.",
        keeping(without=("averages",)),
    ),
    "dropout": Wrong(
        "After `resume`, dropout's random state (in `model.non_trainable_variables`) is not what "
        "it was when `save` was called. Save and restore it.",
        keeping(without=("dropout",)),
    ),
    "momentum": Wrong(
        "After `resume`, the optimizer's momentum (in `optimizer.variables`) is not what it was "
        "when `save` was called. Save and restore it.",
        keeping(without=("momentum",)),
    ),
    "count": Wrong(
        "After `resume`, the optimizer's step count (`optimizer.iterations`) is not what it was "
        "when `save` was called; schedules and Adam depend on it. Save and restore it.",
        keeping(without=("count",)),
    ),
    "rate": Wrong(
        "After `resume`, the learning rate, which had been lowered, is not what it was when `save` "
        "was called. Save and restore it.",
        keeping(without=("rate",)),
    ),
    "generator": Wrong(
        "After `resume`, the state of the generator, which draws the batches, is not what it was "
        "when `save` was called. Save and restore it: `generator.state`.",
        keeping(without=("generator",)),
    ),
    "history": Wrong(
        "After `resume`, the history is not what it was when `save` was called. Restore it in the "
        "same list and with full precision: `history[:] = ...`.",
        keeping(without=("history",)),
    ),
    "averages, dropout": Wrong(
        "After `resume`, two things are not what they were when `save` was called: (1) batch "
        "normalization's averages; (2) dropout's random state. Save and restore all of "
        "`model.non_trainable_variables`.",
        keeping(without=("averages", "dropout")),
    ),
    "averages, rate": Wrong(
        "After `resume`, two things are not what they were when `save` was called: (1) batch "
        "normalization's averages (in `model.non_trainable_variables`); (2) the learning rate. "
        "Save and restore both.",
        keeping(without=("averages", "rate")),
    ),
    "averages, generator": Wrong(
        "After `resume`, two things are not what they were when `save` was called: (1) batch "
        "normalization's averages (in `model.non_trainable_variables`); (2) the generator's "
        "state. Save and restore both.",
        keeping(without=("averages", "generator")),
    ),
    "averages, history": Wrong(
        "After `resume`, two things are not what they were when `save` was called: (1) batch "
        "normalization's averages (in `model.non_trainable_variables`); (2) the history "
        "(`history[:] = ...`). Save and restore both.",
        keeping(without=("averages", "history")),
    ),
    "dropout, rate": Wrong(
        "After `resume`, two things are not what they were when `save` was called: (1) dropout's "
        "random state (in `model.non_trainable_variables`); (2) the learning rate. Save and "
        "restore both.",
        keeping(without=("dropout", "rate")),
    ),
    "dropout, generator": Wrong(
        "After `resume`, two things are not what they were when `save` was called: (1) dropout's "
        "random state (in `model.non_trainable_variables`); (2) the generator's state. Save and "
        "restore both.",
        keeping(without=("dropout", "generator")),
    ),
    "dropout, history": Wrong(
        "After `resume`, two things are not what they were when `save` was called: (1) dropout's "
        "random state (in `model.non_trainable_variables`); (2) the history (`history[:] = ...`). "
        "Save and restore both.",
        keeping(without=("dropout", "history")),
    ),
    "rate, generator": Wrong(
        "After `resume`, two things are not what they were when `save` was called: (1) the "
        "learning rate; (2) the generator's state. Save and restore both.",
        keeping(without=("rate", "generator")),
    ),
    "rate, history": Wrong(
        "After `resume`, two things are not what they were when `save` was called: (1) the "
        "learning rate; (2) the history (`history[:] = ...`). Save and restore both.",
        keeping(without=("rate", "history")),
    ),
    "generator, history": Wrong(
        "After `resume`, two things are not what they were when `save` was called: (1) the "
        "generator's state; (2) the history (`history[:] = ...`). Save and restore both.",
        keeping(without=("generator", "history")),
    ),
    "dropout, momentum, count, rate, generator, history": Wrong(
        "After `resume`, six things are not what they were when `save` was called: (1) dropout's "
        "random state; (2) the optimizer's momentum; (3) its step count; (4) the learning rate; "
        "(5) the generator's state; (6) the history. Save and restore "
        "`model.non_trainable_variables`, `optimizer.variables`, `generator.state` and "
        "`history[:]`.",
        keeping(without=("dropout", "momentum", "count", "rate", "generator", "history")),
    ),
    "averages, dropout, momentum, count, rate, generator, history": Wrong(
        "After `resume`, seven things are not what they were when `save` was called: (1) batch "
        "normalization's averages; (2) dropout's random state; (3) the optimizer's momentum; (4) "
        "its step count; (5) the learning rate; (6) the generator's state; (7) the history. Save "
        "and restore `model.non_trainable_variables`, `optimizer.variables`, `generator.state` "
        "and `history[:]`.",
        keeping(
            without=("averages", "dropout", "momentum", "count", "rate", "generator", "history")
        ),
    ),
    "momentum, count, rate, generator, history": Wrong(
        "After `resume`, five things are not what they were when `save` was called: (1) the "
        "optimizer's momentum; (2) its step count; (3) the learning rate; (4) the generator's "
        "state; (5) the history. Save and restore `optimizer.variables`, `generator.state` and "
        "`history[:]`.",
        keeping(without=("momentum", "count", "rate", "generator", "history")),
    ),
    "momentum, count, rate, generator": Wrong(
        "After `resume`, four things are not what they were when `save` was called: (1) the "
        "optimizer's momentum; (2) its step count; (3) the learning rate; (4) the generator's "
        "state. Save and restore `optimizer.variables` and `generator.state`.",
        keeping(without=("momentum", "count", "rate", "generator")),
    ),
    "dropout, momentum, count, rate, generator": Wrong(
        "After `resume`, five things are not what they were when `save` was called: (1) dropout's "
        "random state; (2) the optimizer's momentum; (3) its step count; (4) the learning rate; "
        "(5) the generator's state. Save and restore `model.non_trainable_variables`, "
        "`optimizer.variables` and `generator.state`.",
        keeping(without=("dropout", "momentum", "count", "rate", "generator")),
    ),
    "dropout, momentum, count, rate": Wrong(
        "After `resume`, four things are not what they were when `save` was called: (1) dropout's "
        "random state; (2) the optimizer's momentum; (3) its step count; (4) the learning rate. "
        "Save and restore `model.non_trainable_variables` and `optimizer.variables`.",
        keeping(without=("dropout", "momentum", "count", "rate")),
    ),
    "momentum, count, rate": Wrong(
        "After `resume`, three things are not what they were when `save` was called: (1) the "
        "optimizer's momentum; (2) its step count; (3) the learning rate. Save and restore "
        "`optimizer.variables`.",
        keeping(without=("momentum", "count", "rate")),
    ),
    "dropout, generator, history": Wrong(
        "After `resume`, three things are not what they were when `save` was called: (1) dropout's "
        "random state; (2) the generator's state; (3) the history. Save and restore "
        "`model.non_trainable_variables`, `generator.state` and `history[:]`.",
        keeping(without=("dropout", "generator", "history")),
    ),
    "count, rate, generator, history": Wrong(
        "After `resume`, four things are not what they were when `save` was called: (1) the "
        "optimizer's step count; (2) the learning rate; (3) the generator's state; (4) the "
        "history. Save and restore `optimizer.variables`, `generator.state` and `history[:]`.",
        keeping(without=("count", "rate", "generator", "history")),
    ),
    "momentum, rate": Wrong(
        "After `resume`, two things are not what they were when `save` was called: (1) the "
        "optimizer's momentum; (2) the learning rate. Save and restore `optimizer.variables`.",
        keeping(without=("momentum", "rate")),
    ),
    "count, rate": Wrong(
        "After `resume`, two things are not what they were when `save` was called: (1) the "
        "optimizer's step count; (2) the learning rate. Save and restore `optimizer.variables`.",
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
        "You did not return three things. Return the model, a batch, and the function itself, "
        "which takes both.",
        giving(result=lambda model, batch, loss_of: (model, batch)),
        giving(result=lambda model, batch, loss_of: loss_of),
        giving(result=lambda model, batch, loss_of: {"model": model}),
    ),
    "other order": Wrong(
        "Your first return value is not a Keras model. Return the model first; your own network is "
        "one if its class inherits from `keras.Model`.",
        giving(result=lambda model, batch, loss_of: (loss_of, model, batch)),
    ),
    "not built": Wrong(
        "The model has no trainable variables: it was never called, or all of its layers are "
        "frozen. Call it first with an input of the right shape, or unfreeze a layer.",
        giving(make=lambda: keras.Sequential([keras.layers.Dense(1)])),
        giving(make=frozen),
    ),
    "no batch": Wrong(
        "Your second return value has no tensor whose first axis counts examples. Return a "
        "batch: a tensor, or a tuple or dict of tensors.",
        giving(batch=None, result=lambda model, batch, loss_of: (model, 1.0, loss_of)),
    ),
    "a number in the batch": Wrong(
        "Your batch contains something without an axis for the examples, such as a single number. "
        "Move it out of the batch, and make it a constant in `loss_of`.",
        giving(batch={**BATCH, "weight": tf.constant(0.1)}),
        giving(batch={**BATCH, "weight": 0.1}),
    ),
    "loss called already": Wrong(
        "Your third return value is a number, because you called the function. Return the function "
        "itself, without parentheses.",
        giving(result=lambda model, batch, loss_of: (model, batch, loss_of(model, batch))),
    ),
    "Python number": Wrong(
        "`loss_of` does not return a tensor, so no path leads from the model to it. Return one "
        "tensor, without `float`, `.numpy()` or NumPy.",
        giving(lambda model, batch: float(mean_error(model, batch))),
        giving(lambda model, batch: np.mean(squares(model, batch).numpy())),
        giving(lambda model, batch: (mean_error(model, batch), batch)),
    ),
    "a loss for each example": Wrong(
        "Your loss is not a single number: it still has an axis. Average over all axes, because "
        "`train_step` needs one number.",
        giving(lambda model, batch: tf.reduce_mean(squares(model, batch), axis=1)),
        giving(squares),
    ),
    "whole number": Wrong(
        "Your loss is an integer, a count, which has no gradient. Use a loss that changes "
        "smoothly.",
        giving(lambda model, batch: tf.reduce_sum(tf.cast(squares(model, batch) > 0.5, tf.int32))),
    ),
    "not finite": Wrong(
        "Your loss is not finite. Look for a logarithm of 0 or of a negative number, and for a "
        "division by 0.",
        giving(lambda model, batch: tf.math.log(mean_error(model, batch) * 0.0)),
        giving(lambda model, batch: mean_error(model, batch) / 0.0),
    ),
    "steps in the loss": Wrong(
        "Your loss function changes the weights. Let it compute one number, and leave the step "
        "to `train_step`.",
        giving(stepping_loss),
    ),
    "random loss": Wrong(
        "A second call gives a different loss: your function draws random numbers, or stores "
        "something between calls. Draw the numbers in advance, pass them with the batch, leave "
        "out dropout, and store nothing.",
        giving(noisy),
        giving(dropping, make=lambda: Fit(0.5)),
    ),
    "another model": Wrong(
        "`loss_of` uses its own model instead of the given one. Use the argument.",
        own_model,
    ),
    "no gradient at all": Wrong(
        "No variable has a gradient, because the path from the model to the loss is broken. "
        "Look for NumPy, `argmax` or `round`, comparisons, casts and `tf.stop_gradient`.",
        giving(by_numpy),
        giving(whole_answers),
        giving(lambda model, batch: tf.stop_gradient(mean_error(model, batch))),
    ),
    "some without a gradient": Wrong(
        "Some variables have no gradient, because no path leads from them to the loss. To see "
        "which ones, print the result of `tape.gradient`: it has the order of "
        "`model.trainable_variables`.",
        giving(without_scale),
    ),
    "gradient not finite": Wrong(
        "The loss is finite, but its gradient is not, as for a square root or a norm at 0. Add "
        "1e-12 under the root.",
        giving(flat_steepness),
    ),
    "all zero": Wrong(
        "Every gradient is 0, because the loss is flat here. Look for `sign`, a value outside the "
        "range of a clip, or a second derivative of a ReLU network.",
        giving(
            lambda model, batch: (
                tf.clip_by_value(mean_error(model, batch), 100.0, 200.0)
                + 0 * tf.reduce_mean(batch["x"])
            )
        ),
    ),
    "flat": Wrong(
        "The tape returns gradients, but small steps along them do not change the loss. Its value "
        "comes from `argmax`, `round`, or a comparison, and its gradient was substituted. Use a "
        "loss that changes smoothly.",
        giving(straight_through),
    ),
    "turned": Wrong(
        "The tape's gradient has the wrong sign everywhere. Check your `custom_gradient`.",
        giving(lambda model, batch: with_slope(-1)(mean_error(model, batch))),
    ),
    "scaled": Wrong(
        "The tape's gradient is wrong by a constant factor everywhere. Check your "
        "`custom_gradient`.",
        giving(lambda model, batch: with_slope(2)(mean_error(model, batch))),
    ),
    "a closed path": Wrong(
        "The tape's gradients differ from the slopes of this loss, because a part of a path is "
        "broken by `tf.stop_gradient`, a `custom_gradient` or NumPy. If you intend that, "
        "compute that part in advance, and pass it with the batch.",
        giving(
            lambda model, batch: (
                mean_error(model, batch) + steepness(model, batch, tf.stop_gradient)
            )
        ),
        giving(broken_scale),
    ),
    "added up": Wrong(
        "If every example appears twice in the batch, the loss is larger, because some operation "
        "over the examples is not a mean: a sum, a norm or a softmax along axis 0. Average over "
        "the examples, and apply softmax over the classes, `axis=-1`.",
        giving(lambda model, batch: tf.reduce_sum(squares(model, batch))),
        giving(lambda model, batch: mean_error(model, batch) + tf.reduce_sum(batch["x"] ** 2)),
        giving(lambda model, batch: tf.norm(squares(model, batch))),
    ),
    "divided again": Wrong(
        "If every example appears twice in the batch, the loss is smaller, because you divide by "
        "the batch size once too often. Remove one division.",
        giving(
            lambda model, batch: mean_error(model, batch) / tf.cast(len(batch["x"]), tf.float32)
        ),
    ),
    "nearly as large": Wrong(
        "If every example appears twice in the batch, the loss is almost the same, but it should "
        "be exactly the same. Look for a division by n - 1, an example that is left out "
        "(`[:-1]`), a small sum, or noise with a fixed seed, which belongs in the batch.",
        giving(lambda model, batch: tf.reduce_sum(squares(model, batch)) / (len(batch["x"]) - 1)),
    ),
    "another order": Wrong(
        "If the examples come in a different order, the loss changes: some examples are left out, "
        "as with `[:8]`, or their positions matter. Average over all examples.",
        giving(lambda model, batch: tf.reduce_mean(squares(model, batch)[:8])),
    ),
    "another batch": Wrong(
        "Your loss does not depend on the given batch. Compute it only from the batch that "
        "`loss_of` receives.",
        giving(lambda model, batch: mean_error(model, BATCH)),
    ),
    "a part of the batch": Wrong(
        "A tensor of your batch does not affect the loss. Use it, or remove it from the batch.",
        giving(lambda model, batch: tf.reduce_mean(model(batch["x"]) ** 2)),
    ),
    "each with all": Wrong(
        "You can reorder a tensor of shape (n,) in your batch without changing the loss, because "
        "(n, 1) minus (n,) broadcasts to (n, n). Give both tensors the same shape.",
        giving(mean_error, {**BATCH, "y": BATCH["y"][:, 0]}),
    ),
    "penalties counted": Wrong(
        "You add `sum(model.losses)`, but `train_step` adds it as well, so penalties would be "
        "included twice. Remove it here.",
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
        "You did not return a dict. Return a dict that maps the name of your task to its answers; "
        "`inputs` has the names.",
        lambda inputs: nearest(inputs["few labels"].numpy(), 40),
        lambda inputs: None,
    ),
    "empty dict": Wrong(
        "Your dict is empty. Add the answers for the task that you chose.",
        always({}),
    ),
    "another name": Wrong(
        'No key of your dict is the name of a task. Use a name from `inputs`: "few labels", '
        '"river" or "new digits".',
        always({"labels": 1.0}),
    ),
    "several tasks": Wrong(
        "You attempted more than one task, and none of your answers passes. Keep only one, and the "
        "check will tell you what is wrong with it.",
        lambda inputs: {
            "few labels": np.full(len(inputs["few labels"]), 3),
            "river": np.zeros(len(inputs["river"])),
        },
    ),
    "no numbers": Wrong(
        "Your answers are not numbers. Return a tensor or an array.",
        always({"few labels": "seven"}),
        always({"river": None}),
    ),
    "not finite": Wrong(
        "Your answers contain nan or infinity. Look for a training run that diverged.",
        of_river(lambda points: np.where(points[:, 0] < 1, np.nan, at(points))),
    ),
    "scores": Wrong(
        "You returned ten scores per image. Return their `argmax`.",
        of_digits(lambda pictures: np.eye(10)[nearest(pictures)]),
    ),
    "not one class each": Wrong(
        "You did not return one class per image. Return as many classes as there are images.",
        of_digits(lambda pictures: nearest(pictures)[:10]),
        of_digits(lambda pictures: 0.8),
    ),
    "no classes": Wrong(
        "Your classes are not integers. Return integers from 0 to 9.",
        of_digits(lambda pictures: nearest(pictures) * 0.9 + 0.3),
    ),
    "classes by the batch": Wrong(
        "An image gets a different class if you pass fewer images with it. Normalize with "
        "constants from the training data, and call the model with `training=False`.",
        of_digits(lambda pictures: np.arange(len(pictures)) % 10),
    ),
    "one class": Wrong(
        "Every image gets the same class. Check that the training ran, and that the training "
        "pixels were scaled to the range from 0 to 1, like those in `inputs`.",
        of_digits(lambda pictures: np.full(len(pictures), 3)),
    ),
    "classes moved by one": Wrong(
        "Your classes are right, but shifted by one. Count from 0.",
        of_digits(lambda pictures: nearest(pictures) + 1),
        of_digits(lambda pictures: nearest(pictures) - 1),
    ),
    "by chance": Wrong(
        "Your accuracy is that of random guessing. Check that the training ran (`train` without "
        "parentheses calls nothing) and that the last layer had a gradient. Check also that "
        "images and labels were shuffled together, and that pixels were scaled to the range from "
        "0 to 1.",
        of_digits(by_pixels),
    ),
    "too good": Wrong(
        "At least 98% of your classes are right, but even with all 1,500 labels, the nearest image "
        "gets only 95%, so you used the held-out labels. Train only on the 40 labels.",
        of_digits(held_out_labels),
    ),
    "labels not better": Wrong(
        "Your accuracy is below 0.80, and the nearest labeled image alone gets about 0.78. The "
        "unlabeled images should help: measure with and without them, and if the accuracy stays "
        "there, report it and what you tried, because that is also a result.",
        of_digits(lambda pictures: nearest(pictures, 25)),
    ),
    "one number for the river": Wrong(
        "You returned one number, perhaps the speed. Return the dye at each point.",
        of_river(lambda points: 1.3),
    ),
    "another shape for the river": Wrong(
        "Your answers have the wrong shape. Return one number per point, with shape (n,) or "
        "(n, 1).",
        of_river(lambda points: np.stack([at(points), at(points)], axis=1)),
    ),
    "river by the batch": Wrong(
        "The answer for a point changes if you pass fewer points with it. Train the model above "
        "the function, not inside it, and compute each answer only from its own point.",
        of_river(lambda points: at(points) - at(points).mean()),
    ),
    "the mean of the measurements": Wrong(
        "Your answer at every point is nearly the mean of the dye, as if each answer were compared "
        "with every measurement: (n, 1) minus (n,) broadcasts to (n, n). Give answers and "
        "measurements the same shape.",
        of_river(lambda points: 0 * points[:, 0] + 0.17),
    ),
    "everywhere the same": Wrong(
        "All points get nearly the same answer. Check that the training ran, and that the "
        "network has gradients.",
        of_river(lambda points: 0 * points[:, 0]),
    ),
    "too close": Wrong(
        "The error is below 0.005, but even the cloud's own formula, fitted to the 80 noisy "
        "measurements, has an error of 0.012, so you used the formula or the exact dye. Train on "
        "the measurements and the equation.",
        of_river(at),
    ),
    "just short": Wrong(
        "The error in the second hour is between 0.05, the limit, and 0.06. Let the learning rate "
        "decay to 0, or draw more points for the residual. If it stays there, report it and what "
        "you tried, because that is also a result.",
        of_river(lambda points: at(points) + 0.055),
    ),
    "sign turned": Wrong(
        "Your answers have the wrong sign. Change it.",
        of_river(lambda points: -at(points)),
    ),
    "scaled answers": Wrong(
        "Your cloud is at the right position, but too high or too low by a constant factor. "
        "Undo your scaling.",
        of_river(lambda points: 0.5 * at(points)),
    ),
    "first hour only": Wrong(
        "The error is below 0.05 in the first hour, but above 0.06 in the second, where the "
        "equation does not hold well enough or its speed is wrong. Draw points from the "
        "second hour for the residual, and train longer.",
        of_river(lambda points: np.where(points[:, 1] < 1, at(points), 0.0)),
        of_river(lambda points: cloud(points[:, 0], np.minimum(points[:, 1], 1))),
    ),
    "as zeros": Wrong(
        "In both hours your answers are hardly better than zeros. Check that the training ran "
        "(`train` without parentheses calls nothing), and that the columns are in the "
        "order x, t.",
        of_river(lambda points: np.sin(3 * points[:, 0] + points[:, 1]) * 0.3),
        of_river(lambda points: cloud(points[:, 1], points[:, 0])),
    ),
    "river not better": Wrong(
        "The error is above 0.06 in the second hour, and too large in the first. Check both parts "
        "of the loss (the measurements and the residual), their weights, and the order of the "
        "columns (x, t).",
        of_river(lambda points: cloud(points[:, 0], 0.5 * points[:, 1])),
    ),
    "another shape for images": Wrong(
        "Your images have the wrong shape. Return one image of 64 pixels for each row of "
        "the noise.",
        of_noise(lambda noise: one_of_training(noise)[:, :32]),
    ),
    "up to 16": Wrong(
        "Some pixels are above 2, perhaps because they go up to 16. Scale them to the range from 0 "
        "to 1.",
        of_noise(lambda noise: 16 * one_of_training(noise)),
    ),
    "out of range": Wrong(
        "Some pixels are below 0 or above 1. End the generator with a sigmoid, or undo the "
        "scaling of the training images.",
        of_noise(lambda noise: 2 * one_of_training(noise) - 1),
    ),
    "not by the noise": Wrong(
        "The same row of noise gives a different image in a second call with fewer rows. Compute "
        "each image only from its own row, and call the generator with `training=False`.",
        of_noise(drawn_anew),
    ),
    "grey": Wrong(
        "Every pixel is gray, from 0.1 to 0.9, as with an untrained generator. Check that the "
        "training ran; a name without parentheses calls nothing.",
        of_noise(lambda noise: 0.5 + 0.1 * np.tanh(np.tile(noise, 4))),
    ),
    "all alike": Wrong(
        "Your images are nearly all the same, whatever the noise. If the training ran, the "
        "generator has collapsed: give the critic more steps, or its penalty more weight.",
        of_noise(lambda noise: np.repeat(one_of_training(noise[:1] * 0), len(noise), axis=0)),
    ),
    "copies": Wrong(
        "At least half of your images are near-copies: closer than 0.8 (Euclidean distance) to a "
        "training image. Half of the held-out digits are farther away than 1.1, so generate new "
        "images.",
        of_noise(one_of_training),
    ),
    "held-out digits": Wrong(
        "Too many of your images are near-copies of held-out digits: closer than 0.8 (Euclidean "
        "distance). The held-out digits are only for comparison, so generate new images.",
        of_noise(one_of_held_out),
    ),
    "digits not better": Wrong(
        "For more than 90% of your images, or of the real ones, the nearest image is of the same "
        "kind, so the two are easy to tell apart. Train longer, and look at your images.",
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
        "Every number is 0, because you stored the variables themselves, which change, or "
        "their values after the last step. Store the values, `variable.numpy()`, before "
        "the first step.",
        moved(
            after_of=lambda model: model.trainable_variables,
            before_of=lambda model: [*model.trainable_variables],
        ),
        moved(before_of=lambda model: [v.value for v in model.trainable_variables]),
        kept_too_late,
    ),
    "last batch alone": Wrong(
        "You return the movement in only the last batch. Store the values once, before the first "
        "batch.",
        moved(each_batch=True),
    ),
    "steps added up": Wrong(
        "You added up the movements of all batches. Compare the values at the end with those "
        "at the beginning.",
        summed,
    ),
    "signed": Wrong(
        "You ignore downward movements. Use the largest *absolute* value.",
        moved(measure=lambda change: float(np.max(change))),
    ),
    "size too late": Wrong(
        "Take the absolute values before the maximum, because the largest movement may be "
        "downward.",
        moved(measure=lambda change: float(abs(np.max(change)))),
    ),
    "mean movement": Wrong(
        "You averaged the movements of the entries. Use the largest one.",
        moved(measure=lambda change: float(np.mean(np.abs(change)))),
    ),
    "norm": Wrong(
        "You used the norm of each variable's change. Use the movement of the entry that moved the "
        "most.",
        moved(measure=lambda change: float(np.linalg.norm(change))),
    ),
    "frozen ones, too": Wrong(
        "Your list also includes variables that are not trained, as in `get_weights` and "
        "`weights`. Loop over `model.trainable_variables`.",
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
