"""Wrong answers to the questions of lesson 14, and what each is told."""

import keras
import numpy as np
import tensorflow as tf

from course_utils.exercises import Table, Wrong

# 14.1


def each_mean(cost):
    return tf.reduce_mean(cost, axis=-1)


def costing(little=3.0, much=1.0, power=2, reduce=each_mean):
    """Return an answer to 14.1 with other factors, or another reduction."""

    def order_cost(y, y_hat):
        error = y - y_hat
        return reduce(tf.where(error > 0, little, much) * tf.abs(error) ** power)

    return order_cost


def deciding_for(whole):
    """Return an answer that takes the factor for several errors at once, from their mean."""

    def order_cost(y, y_hat):
        error = y - y_hat
        return each_mean(tf.where(whole(error) > 0, 3.0, 1.0) * error**2)

    return order_cost


COSTS = {
    "mean of all": Wrong(
        "This is one number for all examples, which sample weights could no longer weigh. Average "
        "over the last axis alone: axis=-1.",
        costing(reduce=tf.reduce_mean),
        costing(reduce=tf.reduce_sum),
    ),
    "no mean": Wrong(
        "This is one cost for each good of each example. Average over the goods: tf.reduce_mean "
        "with axis=-1.",
        costing(reduce=tf.identity),
    ),
    "mean over examples": Wrong(
        "You averaged over the examples, axis 0. Average over the goods, axis -1.",
        costing(reduce=lambda cost: tf.reduce_mean(cost, axis=0)),
    ),
    "axis kept": Wrong(
        "There is an axis too many: (n, 1). Leave out keepdims.",
        costing(reduce=lambda cost: tf.reduce_mean(cost, axis=-1, keepdims=True)),
    ),
    "goods added up": Wrong(
        "You added up the goods. The mean over them was asked for: tf.reduce_mean.",
        costing(reduce=lambda cost: tf.reduce_sum(cost, axis=-1)),
    ),
    "sides exchanged": Wrong(
        "Too much costs 3 times here, and too little once. Ordering too little means that y - "
        "y_hat is positive; mind the order of the arguments, (y, y_hat).",
        costing(1.0, 3.0),
    ),
    "factor left out": Wrong(
        "Every error costs the same. Where y_hat is below y, the square counts 3 times.",
        costing(1.0, 1.0),
    ),
    "factor everywhere": Wrong(
        "Every error costs 3 times its square. Only where y_hat is below y does it.",
        costing(3.0, 3.0),
    ),
    "one decision for all": Wrong(
        "You decide once for all examples, by the mean of their errors. Decide entry by entry, "
        "with tf.where: each good has its own error.",
        deciding_for(tf.reduce_mean),
    ),
    "one decision each example": Wrong(
        "You decide once for each example, by the mean of its errors. Decide entry by entry, with "
        "tf.where: each good has its own error.",
        deciding_for(lambda error: tf.reduce_mean(error, axis=-1, keepdims=True)),
    ),
    "not squared": Wrong(
        "The errors are not squared. The cost is 3 or 1 times the *squared* error.",
        costing(power=1),
    ),
    "squared after the mean": Wrong(
        "You square the mean over the goods. Square each error, and average after that.",
        costing(power=1, reduce=lambda cost: each_mean(cost) ** 2),
        lambda y, y_hat: costing()(*(each_mean(each)[:, None] for each in (y, y_hat))),
    ),
    "factor squared": Wrong(
        "The factor 3 is squared with the error. Square first, and then multiply by 3.",
        costing(9.0, 1.0),
    ),
    "too much free": Wrong(
        "Ordering too much costs nothing here. It costs the squared error once.",
        costing(3.0, 0.0),
    ),
    "too much earns": Wrong(
        "Ordering too much earns something here: its cost is negative. The square counts on both "
        "sides.",
        costing(3.0, -1.0),
    ),
    "factor on top": Wrong(
        "Ordering too little costs 4 times the square: once as every error, and 3 times on top. "
        "Choose one of the two costs, entry by entry.",
        costing(4.0, 1.0),
    ),
    "both on one side": Wrong(
        "Ordering too much costs nothing here, and too little 4 times the square. The two costs "
        "belong to two sides: y_hat below y, and y_hat above it.",
        costing(4.0, 0.0),
    ),
    "first good alone": Wrong(
        "The first good alone counts. Keep all k of them, and average over the last axis.",
        costing(reduce=lambda cost: cost[:, 0]),
    ),
    "root at the end": Wrong(
        "This is the root of the cost. Average the costs, and leave it at that.",
        costing(reduce=lambda cost: tf.sqrt(each_mean(cost))),
    ),
}

# 14.2


def updating(update):
    """Return an answer to 14.2 from update_step, which is handed that of the kind as own."""

    def adaptive(kind):
        class Adaptive(kind):
            def update_step(self, gradient, variable, learning_rate):
                update(super().update_step, gradient, variable, learning_rate)

        return Adaptive

    return adaptive


def clipping(clip):
    return updating(lambda own, g, v, rate: own(clip(g, v), v, rate))


def clipping_early(clip):
    """Return an answer that clips in apply, before anything else is done to the gradients."""

    def adaptive(kind):
        class Adaptive(kind):
            def apply(self, gradients, variables=None):
                pairs = zip(gradients, variables, strict=True)
                super().apply([clip(self, g, v) for g, v in pairs], variables)

        return Adaptive

    return adaptive


def length_of(variable):
    return tf.maximum(tf.norm(variable), 0.001)


def to_a_tenth(gradient, variable):
    return tf.clip_by_norm(gradient, 0.1 * length_of(variable))


def always_a_tenth(gradient, variable):
    return gradient / tf.norm(gradient) * 0.1 * length_of(variable)


def with_scale(optimizer, gradient, variable):
    scale = optimizer.loss_scale_factor or 1.0
    return to_a_tenth(gradient / scale, variable) * scale


def clipping_in_both(kind):
    return clipping(to_a_tenth)(clipping_early(lambda _, g, v: to_a_tenth(g, v))(kind))


def unscaled(optimizer, gradient, variable):
    return to_a_tenth(gradient / (optimizer.loss_scale_factor or 1.0), variable)


def divided_by_scale(own, gradient):
    return gradient / (own.__self__.loss_scale_factor or 1.0)


def divided_by_steps(own, gradient):
    return gradient / (own.__self__.gradient_accumulation_steps or 1.0)


def by_axis(axis):
    def clip(gradient, variable):
        limit, length = (tf.norm(t, axis=axis, keepdims=True) for t in (variable, gradient))
        return gradient * tf.minimum(1.0, 0.1 * limit / tf.maximum(length, 1e-12))

    return clip


def exchanged(kind):
    class Adaptive(kind):
        def update_step(self, variable, gradient, learning_rate):
            super().update_step(to_a_tenth(gradient, variable), variable, learning_rate)

    return Adaptive


def exchanged_in_the_call(own, gradient, variable, rate):
    own(variable, to_a_tenth(gradient, variable), rate)


def calling_apply(kind):
    class Adaptive(kind):
        def update_step(self, gradient, variable, learning_rate):
            super().apply([to_a_tenth(gradient, variable)], [variable])

    return Adaptive


def as_lists(own, gradient, variable, rate):
    pairs = zip(gradient, variable, strict=True)
    own([to_a_tenth(g, v) for g, v in pairs], variable, rate)


def named_update(kind):
    class Adaptive(kind):
        def update(self, gradient, variable, learning_rate):
            super().update_step(to_a_tenth(gradient, variable), variable, learning_rate)

    return Adaptive


def zero_where_long(gradient, variable):
    is_long = tf.norm(gradient) > 0.1 * length_of(variable)
    return tf.where(is_long, tf.zeros_like(gradient), gradient)


ADAPTIVE = {
    "no class returned": Wrong(
        "Your function returned no class of optimizers. End it with `return Adaptive`, the class "
        "itself, without parentheses.",
        lambda kind: None,
    ),
    "never updates": Wrong(
        "No variable moves: update_step clips, and goes no further. Hand the clipped gradient to "
        "super().update_step.",
        updating(lambda own, g, v, rate: None),
    ),
    "arguments exchanged": Wrong(
        "An optimizer's update_step takes the gradient first, and then the variable. In your "
        "definition, or where you call super().update_step, the two are exchanged, so that the "
        "gradient is to be assigned to.",
        exchanged,
        updating(exchanged_in_the_call),
    ),
    "apply in update_step": Wrong(
        "update_step never ends: it calls apply, and apply calls update_step. Hand the clipped "
        "gradient and its variable to super().update_step.",
        calling_apply,
    ),
    "lists in update_step": Wrong(
        "update_step gets one gradient and one variable, and no lists of them. Do not go through "
        "them: clip the one gradient, and hand it to super().update_step.",
        updating(as_lists),
    ),
    "still in apply": Wrong(
        "apply still clips, before it divides by the loss scale and adds up the batches. Leave it "
        "as it is in Keras, and clip in update_step alone.",
        clipping_early(lambda _, g, v: to_a_tenth(g, v)),
        clipping_in_both,
        calls=(0, 1, 2, 3),
    ),
    "divided twice": Wrong(
        "A scaled loss is divided by its factor twice: by you, and by apply after that. Clip in "
        "update_step, which gets the gradients when both scaling and accumulation are done.",
        clipping_early(unscaled),
        calls=(0, 1, 2, 3),
    ),
    "rate twice": Wrong(
        "The learning rate counts twice: super().update_step multiplies by it. Clip the gradient "
        "alone.",
        updating(lambda own, g, v, rate: own(to_a_tenth(rate * g, v), v, rate)),
        calls=(0, 1, 2, 3),
    ),
    "rows by themselves": Wrong(
        "Each row or column is clipped by itself. One length of the whole gradient was asked for: "
        "tf.norm without an axis.",
        clipping(by_axis(0)),
        clipping(by_axis(-1)),
        calls=(1,),
    ),
    "squared norm": Wrong(
        "The limit is a tenth of the variable's squared norm. Take the norm: tf.norm(variable).",
        clipping(lambda g, v: tf.clip_by_norm(g, 0.1 * tf.reduce_sum(v**2))),
        calls=(0, 1, 2, 3),
    ),
    "root mean square": Wrong(
        "The limit is a tenth of the variable's root mean square, which is shorter than its "
        "length. The length counts all entries: tf.norm(variable).",
        clipping(lambda g, v: tf.clip_by_norm(g, 0.1 * tf.sqrt(tf.reduce_mean(v**2)))),
        calls=(0, 1, 2, 3),
    ),
    "variable clipped": Wrong(
        "The variable is clipped, and handed on as if it were the gradient. Clip the gradient: "
        "tf.clip_by_norm(gradient, limit), with the limit of the variable.",
        clipping(lambda g, v: tf.clip_by_norm(v, 0.1 * tf.norm(g))),
        calls=(0, 1, 2, 3),
    ),
    "long ones left out": Wrong(
        "A gradient beyond the limit does not count at all. Shorten it to the limit: "
        "tf.clip_by_norm.",
        clipping(zero_where_long),
        calls=(0, 1, 2, 3),
    ),
    "largest entry": Wrong(
        "The limit is a tenth of the variable's largest entry. Its length counts all entries: "
        "tf.norm(variable).",
        clipping(lambda g, v: tf.clip_by_norm(g, 0.1 * tf.reduce_max(tf.abs(v)))),
        calls=(0, 1, 2, 3),
    ),
    "tenth of the gradient": Wrong(
        "The limit is a tenth of the gradient's own length, so that every gradient is shortened. "
        "Take a tenth of the variable's.",
        clipping(lambda g, v: 0.1 * g),
    ),
    "nothing clipped": Wrong(
        "No clipped gradient arrives. Keras calls update_step, of this name: clip there, whatever "
        "the variable's name, and hand what tf.clip_by_norm returns to super().update_step.",
        clipping(lambda gradient, variable: gradient),
        named_update,
    ),
    "scaling alone": Wrong(
        "Loss scaling is kept now, accumulation is not: apply gets the gradients of each batch, "
        "before they are added up. Clip in update_step, which comes after that.",
        clipping_early(with_scale),
        calls=(0, 1, 2, 3),
    ),
    "limit of one": Wrong(
        "The limit is the length of the variable. It should be a tenth of that.",
        clipping(lambda gradient, variable: tf.clip_by_norm(gradient, tf.norm(variable))),
        calls=(0, 1, 2, 3),
    ),
    "fixed limit": Wrong(
        "The limit is 0.1 for every variable. It should be a tenth of the variable's own norm: "
        "0.1 * tf.maximum(tf.norm(variable), 0.001).",
        clipping(lambda gradient, variable: tf.clip_by_norm(gradient, 0.1)),
    ),
    "by value": Wrong(
        "Each entry is clipped by itself, which turns the gradient. Clip its length: "
        "tf.clip_by_norm.",
        clipping(lambda g, v: tf.clip_by_value(g, -0.1 * tf.norm(v), 0.1 * tf.norm(v))),
        clipping(lambda g, v: tf.clip_by_value(g, -0.1 * tf.abs(v), 0.1 * tf.abs(v))),
        calls=(0, 1, 2, 3),
    ),
    "short ones lengthened": Wrong(
        "Short gradients are made longer. A limit leaves them as they are: tf.clip_by_norm.",
        clipping(always_a_tenth),
        calls=(0, 1, 2, 3),
    ),
    "change clipped": Wrong(
        "You clip the change, which is the gradient times the learning rate. Clip the gradient "
        "itself, before you hand it to super().update_step.",
        updating(lambda own, g, v, rate: own(to_a_tenth(rate * g, v) / rate, v, rate)),
        calls=(0, 1, 2),
    ),
    "divided again": Wrong(
        "update_step gets a gradient that is divided by the loss scale already. Leave that out.",
        updating(lambda own, g, v, rate: own(to_a_tenth(divided_by_scale(own, g), v), v, rate)),
        calls=(1,),
    ),
    "averaged again": Wrong(
        "update_step gets the mean of the batches that were added up. Do not divide it by their "
        "number once more.",
        updating(lambda own, g, v, rate: own(to_a_tenth(divided_by_steps(own, g), v), v, rate)),
        calls=(2,),
    ),
    "no graph": Wrong(
        "fit runs the step in a graph, where a tensor holds no number yet for float, NumPy or if. "
        "Let tf.clip_by_norm choose, and take tf.norm(variable) as the tensor that it is.",
        clipping(lambda g, v: tf.clip_by_norm(g, 0.1 * float(tf.norm(v)))),
        clipping(lambda g, v: tf.clip_by_norm(g, 0.1 * np.linalg.norm(v))),
        clipping(lambda g, v: to_a_tenth(g, v) if tf.norm(g) > 0.1 * tf.norm(v) else g),
        clipping(lambda g, v: tf.clip_by_norm(g, 0.1 * tf.norm(v).numpy())),
    ),
    "update of its own": Wrong(
        "With plain SGD it is right. Another kind's own update is lost. Derive from kind, and hand "
        "the clipped gradient to super().update_step.",
        updating(lambda own, g, v, rate: v.assign_sub(rate * to_a_tenth(g, v))),
        calls=(3,),
    ),
    "least length left out": Wrong(
        "A variable of zeros never moves: its limit is 0. Count a length below 0.001 as 0.001, "
        "with tf.maximum.",
        clipping(lambda g, v: tf.clip_by_norm(g, 0.1 * tf.norm(v))),
        calls=(4,),
    ),
    "least limit": Wrong(
        "The least limit is 0.001 here. It is the length that counts as at least 0.001, and the "
        "limit is a tenth of that: 0.1 * tf.maximum(tf.norm(variable), 0.001).",
        clipping(lambda g, v: tf.clip_by_norm(g, tf.maximum(0.1 * tf.norm(v), 0.001))),
        calls=(4,),
    ),
}

# 14.3


def each_compiled(model, y, y_hat):
    """Return the compiled loss of each example, also where it would average by itself."""
    return getattr(model.loss, "call", model.loss)(y, y_hat)


def each_square(model, y, y_hat):
    return tf.reduce_mean((y_hat - y) ** 2, axis=-1)


def each_exchanged(model, y, y_hat):
    return each_compiled(model, y_hat, y)


def loss_by_hand(
    losses=each_compiled, weigh=lambda w, losses: w * losses, reduce=tf.reduce_mean, penalties=1
):
    def loss(model, x, y, y_hat, w):
        return reduce(weigh(w, losses(model, y, y_hat))) + penalties * sum(model.losses)

    return loss


def compiled(model, x, y, y_hat, w):
    return model.compute_loss(x=x, y=y, y_pred=y_hat, sample_weight=w)


def of_function(model, y, y_hat):
    return model.loss(y, y_hat)


def mean_square(y_hat):
    return 0.1 * tf.reduce_mean(y_hat**2)


def scaled_by_optimizer(optimizer, loss):
    return optimizer.scale_loss(loss)


def stepping(
    loss=compiled,
    call=lambda model, x: model(x, training=True),
    apply=lambda optimizer, gradients, variables: optimizer.apply(gradients, variables),
    result=lambda loss, *given: {"loss": loss},
    own=mean_square,
    scale=scaled_by_optimizer,
):
    """Return an answer to 14.3 with another loss, another update or another result."""

    def penalised_train_step(model, data):
        x, y, w = data
        with tf.GradientTape() as tape:
            y_hat = call(model, x)
            value = loss(model, x, y, y_hat, w) + own(y_hat)
            scaled = scale(model.optimizer, value)
        gradients = tape.gradient(scaled, model.trainable_variables)
        apply(model.optimizer, gradients, model.trainable_variables)
        return result(value, model, x, y, w)

    return penalised_train_step


def in_inference(model, x):
    return model(x, training=False)


def cut_off(model, x):
    return tf.stop_gradient(model(x, training=True))


def not_applied(optimizer, gradients, variables):
    pass


def climbing(optimizer, gradients, variables):
    optimizer.apply([-g for g in gradients], variables)


def applied_twice(optimizer, gradients, variables):
    optimizer.apply(gradients, variables)
    optimizer.apply(gradients, variables)


COMPUTE = " model.compute_loss takes care of loss, weights and penalties."


def unweighed(w, losses):
    return losses


def by_mean_weight(w, losses):
    return tf.reduce_mean(w) * losses


def by_scaled_weights(w, losses):
    return w * losses / tf.reduce_mean(w)


def weighed_twice(w, losses):
    return w * w * losses


def called_again(training):
    def result(loss, model, x, y, w):
        y_hat = model(x, training=training)
        return {"loss": compiled(model, x, y, y_hat, w) + mean_square(y_hat)}

    return result


def penalised_last(returned):
    """Return an answer that adds its own penalty to the loss after that was scaled."""

    def penalised_train_step(model, data):
        x, y, w = data
        with tf.GradientTape() as tape:
            y_hat = model(x, training=True)
            loss, own = compiled(model, x, y, y_hat, w), mean_square(y_hat)
            scaled = model.optimizer.scale_loss(loss) + own
        gradients = tape.gradient(scaled, model.trainable_variables)
        model.optimizer.apply(gradients, model.trainable_variables)
        return {"loss": loss + own if returned else loss}

    return penalised_train_step


def trained_on_batch(model, data):
    x, y, w = data
    with tf.GradientTape() as tape:
        y_hat = model(x, training=True)
        loss = compiled(model, x, y, y_hat, w) + mean_square(y_hat)
    tape.gradient(loss, model.trainable_variables)
    model.train_on_batch(x, y, w)
    return {"loss": loss}


STEPS = {
    "nothing applied": Wrong(
        "The weights are as they were: nothing was applied. Call "
        "model.optimizer.apply(gradients, model.trainable_variables).",
        stepping(apply=not_applied),
    ),
    "climbs": Wrong(
        "The update climbs. Give optimizer.apply the gradients as they are.",
        stepping(apply=climbing),
    ),
    "applied twice": Wrong(
        "The update is twice as long as it should be: apply the gradients once.",
        stepping(apply=applied_twice),
    ),
    "own penalty left out": Wrong(
        "The update lacks the step's own penalty. Add 0.1 * tf.reduce_mean(y_hat**2) to the loss "
        "of model.compute_loss, before scale_loss, inside the block, and apply the gradients of "
        "that.",
        stepping(own=lambda y_hat: 0.0),
        trained_on_batch,
    ),
    "own penalty weighed": Wrong(
        "The own penalty is weighed with the sample weights. It is the plain mean: add it after "
        "compute_loss.",
        stepping(
            lambda m, x, y, z, w: compiled(m, x, y, z, w) + 0.1 * tf.reduce_mean(w[:, None] * z**2),
            own=lambda y_hat: 0.0,
        ),
    ),
    "own penalty whole": Wrong(
        "The own penalty counts ten times too much. A tenth of the mean square was asked for.",
        stepping(own=lambda y_hat: 10 * mean_square(y_hat)),
    ),
    "own penalty added up": Wrong(
        "The own penalty adds up the squares. Take their mean: tf.reduce_mean.",
        stepping(own=lambda y_hat: 0.1 * tf.reduce_sum(y_hat**2)),
    ),
    "own penalty of the mean": Wrong(
        "The own penalty is the square of the mean prediction. Square each prediction, and average "
        "after that: tf.reduce_mean(y_hat**2).",
        stepping(own=lambda y_hat: 0.1 * tf.reduce_mean(y_hat) ** 2),
    ),
    "own penalty a hundredth": Wrong(
        "The own penalty is ten times too small: the tenth is squared with the prediction. Square "
        "first, and then multiply by 0.1.",
        stepping(own=lambda y_hat: tf.reduce_mean((0.1 * y_hat) ** 2)),
    ),
    "own penalty of the error": Wrong(
        "The own penalty is that of the error, y_hat - y. It is the prediction that is squared: "
        "0.1 * tf.reduce_mean(y_hat**2).",
        stepping(
            lambda m, x, y, z, w: compiled(m, x, y, z, w) + mean_square(z - y),
            own=lambda y_hat: 0.0,
        ),
    ),
    "own penalty of another call": Wrong(
        "The own penalty takes its prediction from a second call, in inference. Call the model "
        "once, with training=True, and square that y_hat.",
        stepping(
            lambda m, x, y, z, w: compiled(m, x, y, z, w) + mean_square(m(x, training=False)),
            own=lambda y_hat: 0.0,
        ),
    ),
    "inference mode": Wrong(
        "Still wrong: the model runs as in inference (say training=True).",
        stepping(loss_by_hand(), in_inference),
    ),
    "loss not compiled": Wrong(
        "Still wrong: the loss is not the one that was compiled. model.compute_loss takes care "
        "of loss, weights and penalties.",
        stepping(loss_by_hand(losses=each_square)),
    ),
    "loss not compiled, inference mode": Wrong(
        "Still wrong: the model runs as in inference (say training=True); the loss is not the "
        "one that was compiled. model.compute_loss takes care of loss, weights and penalties.",
        stepping(loss_by_hand(losses=each_square), in_inference),
    ),
    "arguments exchanged": Wrong(
        "Still wrong: y and y_hat are exchanged in the loss. model.compute_loss takes care of "
        "loss, weights and penalties.",
        stepping(loss_by_hand(losses=each_exchanged)),
    ),
    "losses added up": Wrong(
        "Still wrong: the losses of the examples are added up, and not averaged. "
        "model.compute_loss takes care of loss, weights and penalties.",
        stepping(loss_by_hand(reduce=tf.reduce_sum)),
    ),
    "weights left out": Wrong(
        "Still wrong: the sample weights do not count. model.compute_loss takes care of loss, "
        "weights and penalties.",
        stepping(loss_by_hand(weigh=unweighed)),
    ),
    "weights left out, inference mode": Wrong(
        "Still wrong: the model runs as in inference (say training=True); the sample weights do "
        "not count. model.compute_loss takes care of loss, weights and penalties.",
        stepping(loss_by_hand(weigh=unweighed), in_inference),
    ),
    "mean weight": Wrong(
        "Still wrong: every example is weighed with the mean of the sample weights, as if a "
        "loss of shape (n, 1) were multiplied by weights of shape (n,). model.compute_loss "
        "takes care of loss, weights and penalties.",
        stepping(loss_by_hand(weigh=by_mean_weight)),
    ),
    "weights scaled": Wrong(
        "Still wrong: the weighed losses are divided by the sum of the weights, and not by n. "
        "model.compute_loss takes care of loss, weights and penalties.",
        stepping(loss_by_hand(weigh=by_scaled_weights)),
    ),
    "weights twice": Wrong(
        "Still wrong: the sample weights count twice, squared. model.compute_loss takes care of "
        "loss, weights and penalties.",
        stepping(loss_by_hand(weigh=weighed_twice)),
    ),
    "penalties left out": Wrong(
        "Still wrong: the regulariser's penalty is missing. model.compute_loss takes care of "
        "loss, weights and penalties.",
        stepping(loss_by_hand(penalties=0)),
    ),
    "penalties left out, inference mode": Wrong(
        "Still wrong: the model runs as in inference (say training=True); the regulariser's "
        "penalty is missing. model.compute_loss takes care of loss, weights and penalties.",
        stepping(loss_by_hand(penalties=0), in_inference),
    ),
    "penalties twice": Wrong(
        "Still wrong: the penalty counts twice, though compute_loss adds model.losses by "
        "itself. model.compute_loss takes care of loss, weights and penalties.",
        stepping(loss_by_hand(penalties=2)),
    ),
    "loss not compiled, weights left out": Wrong(
        "Still wrong: the loss is not the one that was compiled; the sample weights do not "
        "count. model.compute_loss takes care of loss, weights and penalties.",
        stepping(loss_by_hand(losses=each_square, weigh=unweighed)),
    ),
    "loss not compiled, penalties left out": Wrong(
        "Still wrong: the loss is not the one that was compiled; the regulariser's penalty is "
        "missing. model.compute_loss takes care of loss, weights and penalties.",
        stepping(loss_by_hand(losses=each_square, penalties=0)),
    ),
    "weights left out, penalties left out": Wrong(
        "Still wrong: the sample weights do not count; the regulariser's penalty is missing. "
        "model.compute_loss takes care of loss, weights and penalties.",
        stepping(loss_by_hand(weigh=unweighed, penalties=0)),
    ),
    "loss not compiled, weights left out, penalties left out": Wrong(
        "Still wrong: the loss is not the one that was compiled; the sample weights do not "
        "count; the regulariser's penalty is missing. model.compute_loss takes care of loss, "
        "weights and penalties.",
        stepping(loss_by_hand(losses=each_square, weigh=unweighed, penalties=0)),
    ),
    "loss not compiled, weights left out, penalties left out, inference mode": Wrong(
        "Still wrong: the model runs as in inference (say training=True); the loss is not the "
        "one that was compiled; the sample weights do not count; the regulariser's penalty is "
        "missing. model.compute_loss takes care of loss, weights and penalties.",
        stepping(loss_by_hand(losses=each_square, weigh=unweighed, penalties=0), in_inference),
    ),
    "arguments without names": Wrong(
        "compute_loss takes x first, so that your arguments are one place off. Give them by name: "
        "x=, y=, y_pred= and sample_weight=.",
        stepping(lambda m, x, y, z, w: m.compute_loss(y, z, w)),
    ),
    "by model.loss": Wrong(
        "Still wrong: model.loss is what was compiled, without sample weights and without the "
        "regulariser's penalty; a function gives one number for each example." + COMPUTE,
        stepping(lambda m, x, y, z, w: m.loss(y, z)),
    ),
    "weights given to model.loss": Wrong(
        "model.loss is what was compiled, here a function without sample weights." + COMPUTE,
        stepping(lambda m, x, y, z, w: m.loss(y, z, sample_weight=w)),
        stepping(lambda m, x, y, z, w: m.loss(y, z, w)),
    ),
    "no graph": Wrong(
        "fit runs the step in a graph, where a tensor holds no number yet for float or NumPy. "
        "Return the loss as the tensor that it is.",
        stepping(result=lambda loss, *given: {"loss": float(loss)}),
        stepping(result=lambda loss, *given: {"loss": loss.numpy()}),
    ),
    "prediction before tape": Wrong(
        "Still wrong: the loss has no gradient, because its prediction is not what model(x) "
        "returns under the tape. Call the model inside the `with` block.",
        stepping(call=cut_off),
    ),
    "added up and unweighed": Wrong(
        "Still wrong: the losses of the examples are added up, and not averaged; the sample "
        "weights do not count." + COMPUTE,
        stepping(loss_by_hand(of_function, unweighed, tf.reduce_sum)),
        stepping(loss_by_hand(weigh=unweighed, reduce=tf.reduce_sum)),
    ),
    "divided by weights": Wrong(
        "Still wrong: the weighed losses are divided by the sum of the weights, and not by n. A "
        "loss object has averaged before that." + COMPUTE,
        stepping(loss_by_hand(of_function, by_scaled_weights)),
    ),
    "no penalty, wrong for objects": Wrong(
        "Still wrong: the regulariser's penalty is missing; and a loss object averages by itself, "
        "so that every example is weighed with the mean of the sample weights." + COMPUTE,
        stepping(loss_by_hand(of_function, penalties=0)),
    ),
    "wrong for objects": Wrong(
        "With a loss function in compile the update is right. With a loss object, which averages "
        "by itself, it is not: every example is weighed with the mean of the sample weights."
        + COMPUTE,
        stepping(loss_by_hand(of_function)),
    ),
    "whole loss weighed": Wrong(
        "Still wrong: the loss is weighed once more, as a whole, after compute_loss has weighed "
        "each example. Take it as it comes from compute_loss.",
        stepping(lambda m, x, y, z, w: tf.reduce_mean(w * compiled(m, x, y, z, w))),
        stepping(lambda m, x, y, z, w: tf.reduce_mean(w) * compiled(m, x, y, z, None)),
        stepping(lambda m, x, y, z, w: tf.reduce_sum(w * compiled(m, x, y, z, w))),
        stepping(lambda m, x, y, z, w: tf.reduce_sum(w) * compiled(m, x, y, z, None)),
    ),
    "called twice": Wrong(
        "The update is right, but the averages that batch normalisation keeps moved more than "
        "once. Call the model once, and take loss and gradients from that.",
        stepping(result=called_again(True)),
    ),
    "returns none": Wrong(
        "The update is right, but your function returned None, and fit needs a dict. Return "
        '{"loss": loss}.',
        stepping(result=lambda loss, *given: None),
    ),
    "loss without dict": Wrong(
        "The update is right, but you returned the loss alone, and fit needs a dict. Return "
        '{"loss": loss}.',
        stepping(result=lambda loss, *given: loss),
    ),
    "loss after update": Wrong(
        "The update is right, but the loss in the dict is one after it. Return the loss that you "
        "took the gradient of.",
        stepping(result=called_again(False)),
    ),
    "own penalty not returned": Wrong(
        "The update is right where nothing scales. The loss in the dict lacks the step's own "
        "penalty: add the penalty before scale_loss, and return that loss, not the scaled one.",
        penalised_last(returned=False),
    ),
    "own penalty not scaled": Wrong(
        "Where the optimizer scales the loss, the step's own penalty is left as it was, and ends "
        "too small. Add it before scale_loss.",
        penalised_last(returned=True),
    ),
    "scaling left out": Wrong(
        "Right, until the optimizer scales the loss: the change is then too small, by the factor by "
        "which apply divides. Take the gradients of model.optimizer.scale_loss(loss), computed "
        "inside the block, and give them to apply as they are.",
        stepping(scale=lambda optimizer, loss: loss),
    ),
    "scaled twice": Wrong(
        "The loss is scaled twice where the optimizer scales it. Call scale_loss once.",
        stepping(scale=lambda optimizer, loss: optimizer.scale_loss(optimizer.scale_loss(loss))),
    ),
    "scaled loss returned": Wrong(
        "The update is right. The loss in the dict is the scaled one: return the loss before "
        "scale_loss.",
        stepping(result=lambda loss, model, *given: {"loss": model.optimizer.scale_loss(loss)}),
    ),
}

# 14.4


def of_layers(layers):
    return [v for layer in layers for v in layer.trainable_variables]


def own_scales(model, loss):
    return model.optimizer.scale_loss(loss), model.head_optimizer.scale_loss(loss)


def two_stepping(
    scales=own_scales,
    training=True,
    parts=lambda model: (of_layers(model.layers[:-1]), of_layers(model.layers[-1:])),
    optimizers=lambda model: (model.optimizer, model.head_optimizer),
    loss_of=lambda model, x, y, y_hat, w: model.compute_loss(x, y, y_hat, w),
    result=lambda loss, *given: {"loss": loss},
):
    """Return an answer to 14.4 with other scales, other variables, or another loss."""

    def two_optimizer_step(model, data):
        x, y, w = data
        with tf.GradientTape(persistent=True) as tape:
            loss = loss_of(model, x, y, model(x, training=training), w)
            targets = scales(model, loss)
        groups = parts(model)
        gradients = [
            tape.gradient(target, group) for target, group in zip(targets, groups, strict=True)
        ]
        for optimizer, g, group in zip(optimizers(model), gradients, groups, strict=True):
            optimizer.apply(g, group)
        return result(loss, model, x, y, w)

    return two_optimizer_step


def cut_at(model, place):
    return model.trainable_variables[:place], model.trainable_variables[place:]


def one_after_the_other(head_first):
    """Return an answer that takes the second gradient after the first update."""

    def two_optimizer_step(model, data):
        x, y, w = data
        pairs = [
            (model.optimizer, of_layers(model.layers[:-1])),
            (model.head_optimizer, of_layers(model.layers[-1:])),
        ]
        losses = []
        for optimizer, variables in pairs[::-1] if head_first else pairs:
            with tf.GradientTape() as tape:
                losses.append(model.compute_loss(x, y, model(x, training=True), w))
                scaled = optimizer.scale_loss(losses[-1])
            optimizer.apply(tape.gradient(scaled, variables), variables)
        return {"loss": losses[0]}

    return two_optimizer_step


def loss_afterwards(loss, model, x, y, w):
    return {"loss": model.compute_loss(x, y, model(x, training=True), w)}


def by_hand_of_squares(y, y_hat, w):
    return tf.reduce_mean((1.0 if w is None else w) * tf.reduce_mean((y - y_hat) ** 2, axis=-1))


def of_objects(model, x, y, y_hat, w):
    losses = getattr(model.loss, "call", model.loss)(y, y_hat)
    return tf.reduce_mean(w * losses)


TWO = {
    "body not applied": Wrong(
        "The layers before the last stay where they were. Apply their gradients with "
        "model.optimizer.",
        two_stepping(parts=lambda model: ([], of_layers(model.layers[-1:]))),
    ),
    "head not applied": Wrong(
        "The last layer stays where it was. Apply its gradients with model.head_optimizer.",
        two_stepping(parts=lambda model: (of_layers(model.layers[:-1]), [])),
    ),
    "list of lists": Wrong(
        "The optimizer got lists in place of variables: each layer's trainable_variables is a list "
        "by itself. Make one list of them: "
        "[v for layer in model.layers[:-1] for v in layer.trainable_variables].",
        two_stepping(
            parts=lambda model: (
                [layer.trainable_variables for layer in model.layers[:-1]],
                of_layers(model.layers[-1:]),
            )
        ),
    ),
    "layer as source": Wrong(
        "A tape was asked for the gradient of a layer. Ask it for that of the layer's "
        "trainable_variables.",
        two_stepping(parts=lambda model: (of_layers(model.layers[:-1]), model.layers[-1])),
    ),
    "frozen layer moved": Wrong(
        "A frozen layer moves. Take each layer's trainable_variables, not its variables.",
        two_stepping(
            parts=lambda model: (
                [v for layer in model.layers[:-1] for v in layer.variables],
                of_layers(model.layers[-1:]),
            )
        ),
        calls=(0,),
    ),
    "layer left out": Wrong(
        "The last but one layer stays where it was. All layers before the last belong to "
        "model.optimizer: model.layers[:-1].",
        two_stepping(
            parts=lambda model: (of_layers(model.layers[:-2]), of_layers(model.layers[-1:]))
        ),
    ),
    "exchanged": Wrong(
        "The optimizers are exchanged: model.head_optimizer updates the last layer, "
        "model.optimizer those before it.",
        two_stepping(
            lambda model, loss: own_scales(model, loss)[::-1],
            optimizers=lambda model: (model.head_optimizer, model.optimizer),
        ),
    ),
    "exchanged after scaling": Wrong(
        "The optimizers are exchanged: each applies the gradients that were scaled for the other. "
        "model.head_optimizer updates the last layer, model.optimizer those before it.",
        two_stepping(optimizers=lambda model: (model.head_optimizer, model.optimizer)),
    ),
    "one for all": Wrong(
        "model.optimizer updates every layer. The last one belongs to model.head_optimizer.",
        two_stepping(
            lambda model, loss: [model.optimizer.scale_loss(loss)] * 2,
            optimizers=lambda model: (model.optimizer, model.optimizer),
        ),
        two_stepping(optimizers=lambda model: (model.optimizer, model.optimizer)),
    ),
    "head updated twice": Wrong(
        "The last layer is updated by both optimizers. Give model.optimizer the variables of "
        "model.layers[:-1] alone.",
        two_stepping(parts=lambda model: (model.trainable_variables, of_layers(model.layers[-1:]))),
    ),
    "inference mode": Wrong(
        "The model runs as in inference: call model(x, training=True).",
        two_stepping(training=False),
    ),
    "weights left out": Wrong(
        "The sample weights do not count. Give compute_loss the sample_weight.",
        two_stepping(loss_of=lambda m, x, y, z, w: m.compute_loss(x, y, z, None)),
    ),
    "penalties left out": Wrong(
        "The regulariser's penalty is missing. model.compute_loss adds it.",
        two_stepping(loss_of=of_objects),
    ),
    "penalties twice": Wrong(
        "The regulariser's penalty counts twice: model.compute_loss adds it by itself.",
        two_stepping(loss_of=lambda m, x, y, z, w: m.compute_loss(x, y, z, w) + sum(m.losses)),
    ),
    "weights given to model.loss": Wrong(
        "model.loss is what was compiled, here a function without sample weights." + COMPUTE,
        two_stepping(loss_of=lambda m, x, y, z, w: m.loss(y, z, sample_weight=w)),
        two_stepping(loss_of=lambda m, x, y, z, w: m.loss(y, z, w)),
    ),
    "no graph": Wrong(
        "fit runs the step in a graph, where a tensor holds no number yet for float or NumPy. "
        "Return the loss as the tensor that it is.",
        two_stepping(result=lambda loss, *given: {"loss": float(loss)}),
        two_stepping(result=lambda loss, *given: {"loss": loss.numpy()}),
    ),
    "head first": Wrong(
        "The first layers take their gradients after the head has moved. Take both gradients at "
        "the same weights, of one forward pass, before you apply any.",
        one_after_the_other(head_first=True),
    ),
    "body first": Wrong(
        "The head takes its gradient after the other layers have moved. Take both gradients at "
        "the same weights, of one forward pass, before you apply any.",
        one_after_the_other(head_first=False),
    ),
    "not scaled": Wrong(
        "Right, until an optimizer scales the loss: the changes are then too small, by the factor "
        "by which apply divides. Give each optimizer the gradients of its own scale_loss(loss), "
        "as they are.",
        two_stepping(lambda model, loss: [loss, loss]),
    ),
    "one scale": Wrong(
        "An optimizer gets the gradients of the loss that was scaled for the other one, and each "
        "divides by a factor of its own. Give model.optimizer those of its scale_loss(loss), and "
        "model.head_optimizer those of its own.",
        two_stepping(lambda model, loss: [model.optimizer.scale_loss(loss)] * 2),
        two_stepping(lambda model, loss: [model.head_optimizer.scale_loss(loss)] * 2),
        two_stepping(lambda model, loss: own_scales(model, loss)[::-1]),
    ),
    "head not scaled": Wrong(
        "The last layer's change is too small, by the factor by which model.head_optimizer.apply "
        "divides. Take its gradients of model.head_optimizer.scale_loss(loss), and apply them as "
        "they are.",
        two_stepping(lambda model, loss: [model.optimizer.scale_loss(loss), loss]),
    ),
    "head scaled twice": Wrong(
        "The head's loss is scaled by both optimizers. Scale the plain loss once for each of them.",
        two_stepping(
            lambda model, loss: [
                model.optimizer.scale_loss(loss),
                model.head_optimizer.scale_loss(model.optimizer.scale_loss(loss)),
            ]
        ),
    ),
    "targets added up": Wrong(
        "Each gradient is that of both scaled losses: a tape adds up the targets of a list. Ask a "
        "persistent tape once for each.",
        two_stepping(lambda model, loss: [sum(own_scales(model, loss))] * 2),
    ),
    "two layers as head": Wrong(
        "model.head_optimizer updates the last two layers of a model without biases, where two "
        "variables are two layers. Take those of model.layers[-1], however many it has.",
        two_stepping(parts=lambda model: cut_at(model, -2)),
        calls=(0,),
    ),
    "last variable as head": Wrong(
        "Where the last layer has a bias, model.head_optimizer leaves out one of its variables. "
        "Give it all of model.layers[-1].trainable_variables.",
        two_stepping(parts=lambda model: cut_at(model, -1)),
        two_stepping(parts=lambda model: (of_layers(model.layers[:-1]), [model.layers[-1].kernel])),
        calls=(1,),
    ),
    "slices at fixed places": Wrong(
        "Slices at fixed places fit one model alone: with biases, the variables of the last layer "
        "stand elsewhere. Ask the layers: model.layers[-1].trainable_variables.",
        two_stepping(
            parts=lambda model: (model.trainable_variables[:2], model.trainable_variables[2:4])
        ),
        two_stepping(parts=lambda model: cut_at(model, 2)),
        calls=(1,),
    ),
    "loss not compiled": Wrong(
        "The loss is not the one that was compiled. model.compute_loss knows it.",
        two_stepping(loss_of=lambda m, x, y, z, w: by_hand_of_squares(y, z, w) + sum(m.losses)),
        two_stepping(loss_of=lambda m, x, y, z, w: by_hand_of_squares(y, z, None) + sum(m.losses)),
    ),
    "by model.loss": Wrong(
        "model.loss is what was compiled, without sample weights and without the regulariser's "
        "penalty; a function gives one number for each example. model.compute_loss sees to all "
        "three.",
        two_stepping(loss_of=lambda m, x, y, z, w: m.loss(y, z)),
    ),
    "penalty of 14.3": Wrong(
        "The penalty of exercise 14.3 is still there. Here the compiled loss is all.",
        two_stepping(loss_of=lambda m, x, y, z, w: m.compute_loss(x, y, z, w) + mean_square(z)),
    ),
    "scaled twice": Wrong(
        "One loss is scaled by both optimizers. Scale the plain loss once for each of them.",
        two_stepping(
            lambda model, loss: (
                [model.head_optimizer.scale_loss(model.optimizer.scale_loss(loss))] * 2
            )
        ),
    ),
    "returns none": Wrong(
        "The update is right, but your function returned None, and fit needs a dict. Return "
        '{"loss": loss}.',
        two_stepping(result=lambda *given: None),
    ),
    "loss after update": Wrong(
        "The update is right, but the loss in the dict is one after it. Return the loss that you "
        "took the gradients of.",
        two_stepping(result=loss_afterwards),
    ),
    "scaled loss returned": Wrong(
        "The update is right. The loss in the dict is a scaled one: return the plain loss.",
        two_stepping(result=lambda loss, model, *given: {"loss": model.optimizer.scale_loss(loss)}),
        two_stepping(
            result=lambda loss, model, *given: {"loss": model.head_optimizer.scale_loss(loss)}
        ),
    ),
    "losses added up": Wrong(
        "The update is right. The loss in the dict is the sum of both scaled ones: return the "
        "plain loss, once.",
        two_stepping(result=lambda loss, model, *given: {"loss": sum(own_scales(model, loss))}),
    ),
}

# 14.5

LARGER = "That would work, but a smaller means does it: "
ONE_OF = 'Write "fit", "train_step" or "loop", in exactly these letters.'
OPTIMIZER = LARGER + (
    "an optimizer gets every gradient with its variable, and compile takes one of your own."
)
DATA = LARGER + (
    "the noise belongs to the data. A callback sets a variable, and the pipeline's map reads it "
    "for each element."
)
MEANS = [
    Table({"train_step": OPTIMIZER, "loop": OPTIMIZER}, ONE_OF),
    Table(
        {
            "fit": "An optimizer gets the gradients of the sum, when it is too late to tell the "
            "two losses apart. Taking both from the tape belongs in train_step.",
            "loop": LARGER
            + "each batch still gives one update, so train_step holds both gradients.",
        },
        ONE_OF,
    ),
    Table({"train_step": DATA, "loop": DATA}, ONE_OF),
    Table(
        {
            "fit": "An optimizer gets the gradient at the weights as they are. That of other weights "
            "needs a second forward pass, which train_step says without a trick.",
            "loop": LARGER + "one batch gives one update, so train_step holds both gradients.",
        },
        ONE_OF,
    ),
    Table(
        {
            "fit": "Keras's own step takes one batch and one update, and never goes back.",
            "train_step": "Here a step is not one batch and one update: it measures on all data, "
            "several times, and may go back. A loop says that plainly.",
        },
        ONE_OF,
    ),
]

# 14.6


def sign_beyond_one(error):
    return tf.clip_by_value(error, -1, 1)


def huber_with(slope):
    """Return the huber cost of an error, whose gradient is what ``slope`` says."""

    @tf.custom_gradient
    def huber(error):
        size = tf.abs(error)
        cost = tf.where(size < 1, error**2 / 2, size - 0.5)
        return cost, lambda upstream: upstream * slope(error)

    return huber


def step_with(
    forward=lambda model, batch: model(batch, training=True),
    column=True,
    slope=sign_beyond_one,
    factor=lambda errors: 1.0,
    penalties=lambda model: sum(model.losses),
    reported=1,
):
    """Return what makes the step of a script for a model and an optimizer."""

    def make_step(model, optimizer):
        huber = huber_with(slope)

        @tf.function(autograph=False)
        def step(batch, targets):
            with tf.GradientTape() as tape:
                y_hat = forward(model, batch)
                error = (y_hat[:, 0] if column else y_hat) - targets
                penalty = penalties(model)
                loss = factor(error) * tf.reduce_mean(huber(error)) + penalty
            gradients = tape.gradient(loss, model.trainable_variables)
            loss -= (1 - reported) * penalty
            optimizer.apply(gradients, model.trainable_variables)
            return loss

        return step

    return make_step


def behind_the_first_layer(model):
    return sum(sum(layer.losses) for layer in model.layers[1:])


def validating(training=False, column=True, penalties=1):
    """Return how a script measures on the data that it does not train on."""

    def validate(model, x, y):
        y_hat = model(x, training=training)
        costs = huber_with(sign_beyond_one)((y_hat[:, 0] if column else y_hat) - y)
        return float(tf.reduce_mean(costs) + penalties * sum(model.losses))

    return validate


RIGHT_STEP, RIGHT_VALIDATION = step_with(), validating()


def script(
    make_step=RIGHT_STEP,
    rate_of=lambda rates, epoch: rates[epoch],
    starts=lambda n, size: range(0, n, size),
    resets_at=lambda start: start == 0,
    weight_of=len,
    validate=RIGHT_VALIDATION,
):
    """Return an answer to 14.6 with another step, other epochs, or another history."""

    def train(model, x, y, x_val, y_val, rates, batch_size):
        optimizer = keras.optimizers.SGD()
        optimizer.build(model.trainable_variables)
        step = make_step(model, optimizer)
        mean, history = keras.metrics.Mean(), {"loss": [], "val_loss": []}
        for epoch in range(len(rates)):
            optimizer.learning_rate = rate_of(rates, epoch)
            for start in starts(len(x), batch_size):
                batch = slice(start, start + batch_size)
                loss = step(x[batch], y[batch])
                if resets_at(start):
                    mean.reset_state()
                mean.update_state(loss, sample_weight=weight_of(x[batch]))
            history["loss"].append(float(mean.result()))
            history["val_loss"].append(validate(model, x_val, y_val))
        return history

    return train


def first_layer_outside(model, x, *others):
    rest = keras.Sequential(model.layers[1:])
    run = script(step_with(lambda model, batch: rest(batch, training=True)))
    return run(model, model.layers[0](x), *others)


def first_layer_in_inference(model, batch):
    return keras.Sequential(model.layers[1:])(model.layers[0](batch), training=True)


def measuring_after(model, x, y, *others):
    """Train epoch by epoch, and measure on all data after each."""
    history, (x_val, y_val, rates, size) = {"loss": [], "val_loss": []}, others
    for rate in rates:
        script()(model, x, y, x_val, y_val, [rate], size)
        history["loss"].append(RIGHT_VALIDATION(model, x, y))
        history["val_loss"].append(RIGHT_VALIDATION(model, x_val, y_val))
    return history


def validating_before(model, x, y, x_val, y_val, *others):
    before = RIGHT_VALIDATION(model, x_val, y_val)
    history = script()(model, x, y, x_val, y_val, *others)
    return {**history, "val_loss": [before, *history["val_loss"][:-1]]}


def validating_on_training_data(model, x, y, x_val, y_val, *others):
    return script()(model, x, y, x, y, *others)


def adding_up(counted):
    def train(model, x, y, *others):
        sizes = [len(x[i : i + others[-1]]) for i in range(0, len(x), others[-1])]
        history = script()(model, x, y, *others)
        return {**history, "loss": [counted(sizes) * loss for loss in history["loss"]]}

    return train


def returning_none(*given):
    script()(*given)


# Each fault shows in one of the drawn runs alone, so that it is named whatever else is left.
SCRIPTS = {
    "inference mode": Wrong(
        "A fault is left: a layer that does something else in training, as dropout does, runs as if "
        "it were predicting. Call the whole model with training=True (lesson 09).",
        script(step_with(lambda model, batch: model(batch, training=False))),
        calls=(0,),
    ),
    "penalties left out": Wrong(
        "A fault is left: the regulariser has no influence. Add sum(model.losses) to the loss, "
        "inside the block (lesson 09).",
        script(step_with(penalties=lambda model: 0)),
        calls=(1,),
    ),
    "first layer's penalty left out": Wrong(
        "A fault is left: the penalty of the first layer does not count. `rest` has no part in it: "
        "add sum(model.losses), those of the whole model (lesson 09).",
        script(step_with(penalties=behind_the_first_layer)),
        calls=(7,),
    ),
    "table of errors": Wrong(
        "A fault is left: where the prediction or the target has shape (n, 1), and the other one "
        "(n,), their difference is a table of n by n errors. Give both the shape (n,), as column 0 "
        "of the prediction has (lesson 09).",
        script(step_with(column=False)),
        calls=(2,),
    ),
    "slope of small errors": Wrong(
        "A fault is left: a slope written by hand is wrong for errors below 1, as check_gradients "
        "shows. Half the square has the slope error, beyond 1 it is the sign: "
        "tf.clip_by_value(error, -1, 1) (lesson 07).",
        script(step_with(slope=tf.sign)),
        calls=(3,),
    ),
    "slope without limit": Wrong(
        "The slope of huber is now right for errors below 1 and wrong beyond: there it is the sign "
        "of the error. tf.clip_by_value(error, -1, 1) is both.",
        script(step_with(slope=lambda error: error)),
        calls=(1,),
    ),
    "rate of the first trace": Wrong(
        "A fault is left: every epoch trains with the first rate. Set optimizer.learning_rate at "
        "the start of each epoch, and not in the tf.function, whose Python runs once, while it is "
        "traced (lesson 05).",
        script(rate_of=lambda rates, epoch: rates[0]),
        calls=(4,),
    ),
    "first layer outside": Wrong(
        "A fault is left: the first layer never learns. It is computed where no tape records "
        "(lesson 03): call the whole model inside the block.",
        first_layer_outside,
        calls=(5,),
    ),
    "first layer in inference": Wrong(
        "A fault is left: the first layer runs as if it were predicting, and it may be a dropout. "
        "Call the whole model with training=True (lesson 09).",
        script(step_with(first_layer_in_inference)),
        calls=(6,),
    ),
    "epoch missing": Wrong(
        "Of two epochs only the first one trains. Train one epoch with each rate: look at the "
        "range, and return behind the loop over the epochs.",
        lambda *given: script()(*given[:5], given[5][:1], given[6]),
        calls=(0,),
    ),
    "rates in another order": Wrong(
        "The epochs take the rates in another order. Epoch 0 takes rates[0], and so on; "
        "rates[-1] is the last one.",
        script(rate_of=lambda rates, epoch: rates[epoch - 1]),
        calls=(4,),
    ),
    "penalties twice": Wrong(
        "The penalties count twice. model.losses holds them all: add sum(model.losses) to the loss "
        "once.",
        script(step_with(penalties=lambda model: 2 * sum(model.losses))),
        calls=(1,),
    ),
    "slope's sign": Wrong(
        "The slope of huber has the wrong sign, at least for an error below -1. It is negative "
        "for a negative error: upstream * tf.clip_by_value(error, -1, 1).",
        script(step_with(slope=lambda error: tf.minimum(tf.abs(error), 1.0))),
        calls=(0,),
    ),
    "rate an epoch late": Wrong(
        "Each rate comes an epoch late. Set optimizer.learning_rate to rates[epoch] before the "
        "batches of the epoch.",
        script(rate_of=lambda rates, epoch: rates[epoch - 1] if epoch else 0.01),
        calls=(0,),
    ),
    "default rate": Wrong(
        "No rate reaches the optimizer, which takes 0.01. Set optimizer.learning_rate to "
        "rates[epoch] in each epoch, outside the graph.",
        script(rate_of=lambda rates, epoch: 0.01),
        calls=(0,),
    ),
    "errors added up": Wrong(
        "The update is as many times too long as a batch has examples. Take the mean of huber, and "
        "let its backward function multiply by upstream, which holds the 1/n.",
        script(step_with(factor=lambda errors: float(errors.shape[0]))),
        calls=(0,),
    ),
    "short batch left out": Wrong(
        "The short last batch never trains. Let the slices start at 0, batch_size, ... up to the "
        "last example.",
        script(starts=lambda n, size: range(0, n - size + 1, size)),
        calls=(5,),
    ),
    "reset for each batch": Wrong(
        "The weights are right. The training loss is that of the last batch alone. Reset the "
        "metric once for each epoch, before its first batch.",
        script(resets_at=lambda start: True),
        calls=(0,),
    ),
    "penalties not in history": Wrong(
        "The weights are right. The training loss that you note lacks the penalties, which fit "
        "counts. Note the loss that you took the gradient of.",
        script(step_with(reported=0)),
        calls=(1,),
    ),
    "reset before it is noted": Wrong(
        "The weights are right. The training loss is 0, as the metric is reset before its result "
        "is noted. Reset it before the first batch of an epoch.",
        script(weight_of=lambda batch: 0.0),
        calls=(0,),
    ),
    "measured after the epoch": Wrong(
        "The weights are right. The training loss is measured on all data after the epoch. fit "
        "notes the mean of the batches' losses, each from before its update: give the metric what "
        "step returns.",
        measuring_after,
        calls=(0,),
    ),
    "losses of batches added up": Wrong(
        "The weights are right. The training losses of the batches are added up. fit notes their "
        "mean, weighed by the batches' sizes: keras.metrics.Mean.",
        adding_up(len),
        adding_up(sum),
        calls=(0,),
    ),
    "never reset": Wrong(
        "The weights are right. A fault is left in the training loss: from the second epoch on it "
        "is a mean over all epochs. Call mean.reset_state() first (lesson 09).",
        script(resets_at=lambda start: False),
        calls=(0,),
    ),
    "mean of means": Wrong(
        "The weights are right. A fault is left in the training loss: a short last batch counts as "
        "much as a full one. Give update_state the size as sample_weight (lesson 09).",
        script(weight_of=lambda batch: None),
        calls=(5,),
    ),
    "validated in training": Wrong(
        "The weights and the training loss are right. A fault is left in the validation: it runs "
        "the model as in training, with dropout. Say training=False (lesson 09).",
        script(validate=validating(training=True)),
        calls=(0,),
    ),
    "validation's table of errors": Wrong(
        "The weights and the training loss are right. In the validation the difference of shapes "
        "(n, 1) and (n,) is a table of n by n errors. Give both the shape (n,) there, too.",
        script(validate=validating(column=False)),
        calls=(2,),
    ),
    "validated before the epoch": Wrong(
        "The weights and the training loss are right. The validation is that from before each "
        "epoch; fit validates after it.",
        validating_before,
        calls=(0,),
    ),
    "validated on the training data": Wrong(
        "The weights and the training loss are right. The validation runs on the training data. "
        "Take x_val and y_val.",
        validating_on_training_data,
        calls=(0,),
    ),
    "penalties not validated": Wrong(
        "The validation loss lacks the penalties, which fit counts there, too. Add "
        "sum(model.losses).",
        script(validate=validating(penalties=0)),
        calls=(1,),
    ),
    "returns none": Wrong(
        "The weights are right. Return the history at the end, a dict of two lists.",
        returning_none,
    ),
}

# 14.7


def training(
    optimizer_of=keras.optimizers.Adam, rate=0.05, anew=False, updated=True, after=False, last=False
):
    """Return an answer to 14.7 with another optimizer, rate, or result."""

    def train(model, x, y, steps):
        def loss_now():
            return tf.reduce_mean((model(x, training=True) - y) ** 2)

        optimizer, losses = optimizer_of(rate), []
        for step in range(steps):
            if anew:
                optimizer = optimizer_of(rate)
            with tf.GradientTape() as tape:
                loss = loss_now()
            gradients = tape.gradient(loss, model.trainable_variables)
            if updated or step == steps - 1:
                optimizer.apply(gradients, model.trainable_variables)
            losses.append(float(loss_now() if after else loss))
        return losses[-1] if last else losses

    return train


def one_gradient(model, x, y, steps):
    optimizer, losses = keras.optimizers.Adam(0.05), []
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
    gradients = tape.gradient(loss, model.trainable_variables)
    for _ in range(steps):
        optimizer.apply(gradients, model.trainable_variables)
        losses.append(float(loss))
    return losses


def on_a_copy(model, x, y, steps):
    copy = keras.models.clone_model(model)
    copy.set_weights(model.get_weights())
    return training()(copy, x, y, steps)


def last_layer_alone(model, x, y, steps):
    model.layers[0].trainable = False
    losses = training()(model, x, y, steps)
    model.layers[0].trainable = True
    return losses


def rate_that_falls(model, x, y, steps):
    losses = []
    for step in range(steps):
        losses += training(rate=0.05 * (1 - step / steps))(model, x, y, 1)
    return losses


TRAININGS = {
    "a new Adam at each step": Wrong(
        "Adam starts anew at every step. Its averages then hold one gradient, and every weight "
        "moves by the whole rate: where is the optimizer made?",
        training(anew=True),
    ),
    "another rate": Wrong(
        "The rate is another one. It is not the fault: keep 0.05.",
        training(anew=True, rate=0.005),
        training(rate=0.01),
        training(rate=0.005),
        training(rate=0.001),
        rate_that_falls,
    ),
    "another optimizer": Wrong(
        "This is no Adam any more. Keep Adam with its rate; it is what Adam remembers that gets "
        "lost.",
        training(keras.optimizers.SGD),
        training(lambda rate: keras.optimizers.SGD(rate, momentum=0.9)),
        training(keras.optimizers.RMSprop),
        training(keras.optimizers.SGD, anew=True, rate=0.01),
    ),
    "losses after the steps": Wrong(
        "The weights are right. Each loss is the one after its step: return those before.",
        training(after=True),
    ),
    "last loss alone": Wrong(
        "The weights are right. This is the last loss alone: return the list of all.",
        training(last=True),
    ),
    "updated once": Wrong(
        "The weights moved only once. Let the optimizer move them at every step, and return after "
        "the last.",
        training(updated=False),
        lambda model, x, y, steps: training()(model, x, y, 1),
    ),
    "one gradient for all": Wrong(
        "Every step takes the gradient of the start. The tape belongs in the loop, around a loss "
        "of the weights as they are now.",
        one_gradient,
    ),
    "one step too many": Wrong(
        "There is a step too many. Take as many as `steps` says: range(steps).",
        lambda model, x, y, steps: training()(model, x, y, steps + 1),
    ),
    "one step too few": Wrong(
        "A step is missing. Take as many as `steps` says: range(steps).",
        lambda model, x, y, steps: training()(model, x, y, steps - 1),
    ),
    "table of errors": Wrong(
        "The difference of shapes (n, 1) and (n,) is a table of n by n errors. Prediction and y "
        "have the shape (n, 1) already: take them as they come.",
        lambda model, x, y, steps: training()(model, x, y[:, 0], steps),
    ),
    "model not trained": Wrong(
        "The weights of the model that you were given did not move. Apply the gradients to its "
        "own variables, not to those of a copy.",
        on_a_copy,
    ),
    "last layer alone": Wrong(
        "The last layer alone learns. Ask for the gradients of all model.trainable_variables, and "
        "apply them.",
        last_layer_alone,
    ),
}

MISTAKES = {
    "14.1": COSTS,
    "14.2": ADAPTIVE,
    "14.3": STEPS,
    "14.4": TWO,
    "14.5": MEANS,
    "14.6": SCRIPTS,
    "14.7": TRAININGS,
}
