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
        "You returned one number for all examples, so sample weights cannot be applied. "
        "Average only over the last axis: `axis=-1`.",
        costing(reduce=tf.reduce_mean),
        costing(reduce=tf.reduce_sum),
    ),
    "no mean": Wrong(
        "You returned one cost for each product of each example. Average over the products: "
        "`tf.reduce_mean` with `axis=-1`.",
        costing(reduce=tf.identity),
    ),
    "mean over examples": Wrong(
        "You averaged over the examples, axis 0. Average over the products, axis -1.",
        costing(reduce=lambda cost: tf.reduce_mean(cost, axis=0)),
    ),
    "axis kept": Wrong(
        "Your result has an extra axis: (n, 1) instead of (n,). Remove `keepdims`.",
        costing(reduce=lambda cost: tf.reduce_mean(cost, axis=-1, keepdims=True)),
    ),
    "products added up": Wrong(
        "You summed over the products. Average over them with `tf.reduce_mean`.",
        costing(reduce=lambda cost: tf.reduce_sum(cost, axis=-1)),
    ),
    "sides exchanged": Wrong(
        "The two costs are swapped: in your loss, ordering too much costs 3 times the square. "
        "Multiply by 3 if `y - y_hat` is positive; the arguments are `(y, y_hat)`.",
        costing(1.0, 3.0),
    ),
    "factor left out": Wrong(
        "Ordering too little costs the same as ordering too much. If `y_hat` is below `y`, "
        "multiply the square by 3.",
        costing(1.0, 1.0),
    ),
    "factor everywhere": Wrong(
        "Every error costs 3 times its square. Multiply by 3 only if `y_hat` is below `y`.",
        costing(3.0, 3.0),
    ),
    "one decision for all": Wrong(
        "You choose one of the two costs for all examples, based on the mean of their errors. "
        "Choose elementwise with `tf.where`: each product has its own error.",
        deciding_for(tf.reduce_mean),
    ),
    "one decision each example": Wrong(
        "You choose one of the two costs for each example, based on the mean of its errors. Choose "
        "elementwise with `tf.where`: each product has its own error.",
        deciding_for(lambda error: tf.reduce_mean(error, axis=-1, keepdims=True)),
    ),
    "not squared": Wrong(
        "You do not square the errors. Use 3 or 1 times the *squared* error.",
        costing(power=1),
    ),
    "squared after the mean": Wrong(
        "You square the mean over the products. Square each error first, then average.",
        costing(power=1, reduce=lambda cost: each_mean(cost) ** 2),
        lambda y, y_hat: costing()(*(each_mean(each)[:, None] for each in (y, y_hat))),
    ),
    "factor squared": Wrong(
        "You square the factor 3 together with the error. Square the error first, then "
        "multiply by 3.",
        costing(9.0, 1.0),
    ),
    "too much free": Wrong(
        "Ordering too much costs nothing in your loss. If `y_hat` is above `y`, use the squared "
        "error.",
        costing(3.0, 0.0),
    ),
    "too much earns": Wrong(
        "Ordering too much has a negative cost in your loss. If `y_hat` is above `y`, use the "
        "positive square.",
        costing(3.0, -1.0),
    ),
    "factor on top": Wrong(
        "Ordering too little costs 4 times the square: once for every error, plus 3 times. "
        "Choose one of the two costs elementwise, with `tf.where`.",
        costing(4.0, 1.0),
    ),
    "both on one side": Wrong(
        "In your loss, ordering too much costs nothing, and ordering too little costs 4 times the "
        "square. Use 3 times the square if `y_hat` is below `y`, and the square itself if it is "
        "above.",
        costing(4.0, 0.0),
    ),
    "first good alone": Wrong(
        "Your cost uses only the first product. Keep all k of them, and average over the last "
        "axis.",
        costing(reduce=lambda cost: cost[:, 0]),
    ),
    "root at the end": Wrong(
        "You return the square root of the cost. Return the average cost, without a square root.",
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
        "Your function did not return an optimizer class. End it with `return Adaptive`: the "
        "class itself, without parentheses.",
        lambda kind: None,
    ),
    "never updates": Wrong(
        "No variable changes, because `update_step` clips but does not update. Pass the "
        "clipped gradient to `super().update_step`.",
        updating(lambda own, g, v, rate: None),
    ),
    "arguments exchanged": Wrong(
        "The gradient and the variable are swapped, in your definition or in your call. Pass "
        "`update_step` the gradient first, then the variable.",
        exchanged,
        updating(exchanged_in_the_call),
    ),
    "apply in update_step": Wrong(
        "`update_step` never ends: it calls `apply`, and `apply` calls `update_step`. Pass the "
        "clipped gradient and its variable to `super().update_step`.",
        calling_apply,
    ),
    "lists in update_step": Wrong(
        "`update_step` receives one gradient and one variable, not lists. Remove the loop: "
        "clip the gradient, and pass it to `super().update_step`.",
        updating(as_lists),
    ),
    "still in apply": Wrong(
        "You still clip in `apply`, before Keras divides by the loss scale and averages over the "
        "batches. Leave Keras's `apply` unchanged, and clip only in `update_step`.",
        clipping_early(lambda _, g, v: to_a_tenth(g, v)),
        clipping_in_both,
        calls=(0, 1, 2, 3),
    ),
    "divided twice": Wrong(
        "You divide by the loss scale, and `apply` divides again afterward. Clip in "
        "`update_step`, which receives the gradients after both scaling and accumulation.",
        clipping_early(unscaled),
        calls=(0, 1, 2, 3),
    ),
    "rate twice": Wrong(
        "You multiply by the learning rate, and `super().update_step` does so again. Clip only the "
        "gradient, and leave out the learning rate.",
        updating(lambda own, g, v, rate: own(to_a_tenth(rate * g, v), v, rate)),
        calls=(0, 1, 2, 3),
    ),
    "rows by themselves": Wrong(
        "You clip each row or column separately. Use one norm for the whole gradient: "
        "`tf.norm` without an axis.",
        clipping(by_axis(0)),
        clipping(by_axis(-1)),
        calls=(1,),
    ),
    "squared norm": Wrong(
        "Your limit is a tenth of the variable's *squared* norm. Use the norm: "
        "`tf.norm(variable)`.",
        clipping(lambda g, v: tf.clip_by_norm(g, 0.1 * tf.reduce_sum(v**2))),
        calls=(0, 1, 2, 3),
    ),
    "root mean square": Wrong(
        "Your limit is a tenth of the variable's root mean square, which is smaller than its "
        "norm. Use `tf.norm(variable)`.",
        clipping(lambda g, v: tf.clip_by_norm(g, 0.1 * tf.sqrt(tf.reduce_mean(v**2)))),
        calls=(0, 1, 2, 3),
    ),
    "variable clipped": Wrong(
        "You clip the variable and pass it on as the gradient. Clip the gradient instead: "
        "`tf.clip_by_norm(gradient, limit)`, with a limit computed from the variable.",
        clipping(lambda g, v: tf.clip_by_norm(v, 0.1 * tf.norm(g))),
        calls=(0, 1, 2, 3),
    ),
    "long ones left out": Wrong(
        "You set a gradient above the limit to 0. Scale it down to the limit with "
        "`tf.clip_by_norm`.",
        clipping(zero_where_long),
        calls=(0, 1, 2, 3),
    ),
    "largest entry": Wrong(
        "Your limit is a tenth of the variable's largest entry. Use its norm, `tf.norm(variable)`.",
        clipping(lambda g, v: tf.clip_by_norm(g, 0.1 * tf.reduce_max(tf.abs(v)))),
        calls=(0, 1, 2, 3),
    ),
    "tenth of the gradient": Wrong(
        "Your limit is a tenth of the *gradient's* norm, so every gradient is shortened. Use a "
        "tenth of the variable's norm.",
        clipping(lambda g, v: 0.1 * g),
    ),
    "nothing clipped": Wrong(
        "Your gradients are not clipped. Name the method `update_step`, and pass the result of "
        "`tf.clip_by_norm` to `super().update_step`.",
        clipping(lambda gradient, variable: gradient),
        named_update,
    ),
    "scaling alone": Wrong(
        "You now handle loss scaling, but not accumulation: `apply` gets the gradients of each "
        "batch before they are averaged. Clip in `update_step`, which runs after that.",
        clipping_early(with_scale),
        calls=(0, 1, 2, 3),
    ),
    "limit of one": Wrong(
        "Your limit is the norm of the variable. Use a tenth of that.",
        clipping(lambda gradient, variable: tf.clip_by_norm(gradient, tf.norm(variable))),
        calls=(0, 1, 2, 3),
    ),
    "fixed limit": Wrong(
        "Your limit is 0.1 for every variable. Use a tenth of the variable's norm: `0.1 * "
        "tf.maximum(tf.norm(variable), 0.001)`.",
        clipping(lambda gradient, variable: tf.clip_by_norm(gradient, 0.1)),
    ),
    "by value": Wrong(
        "You clip each entry separately, which changes the gradient's direction. Clip its norm "
        "with `tf.clip_by_norm`.",
        clipping(lambda g, v: tf.clip_by_value(g, -0.1 * tf.norm(v), 0.1 * tf.norm(v))),
        clipping(lambda g, v: tf.clip_by_value(g, -0.1 * tf.abs(v), 0.1 * tf.abs(v))),
        calls=(0, 1, 2, 3),
    ),
    "short ones lengthened": Wrong(
        "You scale up gradients that are below the limit. Leave them unchanged: use "
        "`tf.clip_by_norm`.",
        clipping(always_a_tenth),
        calls=(0, 1, 2, 3),
    ),
    "change clipped": Wrong(
        "You clip the update, the gradient times the learning rate. Clip the gradient itself, "
        "before you pass it to `super().update_step`.",
        updating(lambda own, g, v, rate: own(to_a_tenth(rate * g, v) / rate, v, rate)),
        calls=(0, 1, 2),
    ),
    "divided again": Wrong(
        "`update_step` receives a gradient that is already divided by the loss scale. Remove "
        "your division.",
        updating(lambda own, g, v, rate: own(to_a_tenth(divided_by_scale(own, g), v), v, rate)),
        calls=(1,),
    ),
    "averaged again": Wrong(
        "With gradient accumulation, `update_step` already receives the mean over the "
        "accumulated batches. Don't divide by their number again.",
        updating(lambda own, g, v, rate: own(to_a_tenth(divided_by_steps(own, g), v), v, rate)),
        calls=(2,),
    ),
    "no graph": Wrong(
        "`fit` runs the step in a graph, in which `float`, NumPy and `if` cannot read the value of "
        "a tensor. Use `tf.clip_by_norm`, and keep `tf.norm(variable)` as a tensor.",
        clipping(lambda g, v: tf.clip_by_norm(g, 0.1 * float(tf.norm(v)))),
        clipping(lambda g, v: tf.clip_by_norm(g, 0.1 * np.linalg.norm(v))),
        clipping(lambda g, v: to_a_tenth(g, v) if tf.norm(g) > 0.1 * tf.norm(v) else g),
        clipping(lambda g, v: tf.clip_by_norm(g, 0.1 * tf.norm(v).numpy())),
    ),
    "update of its own": Wrong(
        "This works for plain SGD, but any other optimizer loses its own update rule. Subclass "
        "`kind`, and pass the clipped gradient to `super().update_step`.",
        updating(lambda own, g, v, rate: v.assign_sub(rate * to_a_tenth(g, v))),
        calls=(3,),
    ),
    "least length left out": Wrong(
        "A variable of zeros never changes, because its limit is 0. Use a norm of at least "
        "0.001: `tf.maximum(tf.norm(variable), 0.001)`.",
        clipping(lambda g, v: tf.clip_by_norm(g, 0.1 * tf.norm(v))),
        calls=(4,),
    ),
    "least length added": Wrong(
        "You add 0.001 to every norm. It is the smallest norm: write `0.1 * "
        "tf.maximum(tf.norm(variable), 0.001)`.",
        clipping(lambda g, v: tf.clip_by_norm(g, 0.1 * (tf.norm(v) + 0.001))),
    ),
    "least limit": Wrong(
        "Your smallest limit is 0.001, but it should be a tenth of that, because 0.001 is the "
        "smallest norm. Write `0.1 * tf.maximum(tf.norm(variable), 0.001)`.",
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

    def penalized_train_step(model, data):
        x, y, w = data
        with tf.GradientTape() as tape:
            y_hat = call(model, x)
            value = loss(model, x, y, y_hat, w) + own(y_hat)
            scaled = scale(model.optimizer, value)
        gradients = tape.gradient(scaled, model.trainable_variables)
        apply(model.optimizer, gradients, model.trainable_variables)
        return result(value, model, x, y, w)

    return penalized_train_step


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


COMPUTE = " Call `model.compute_loss`, which handles loss, weights and penalties."


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

    def penalized_train_step(model, data):
        x, y, w = data
        with tf.GradientTape() as tape:
            y_hat = model(x, training=True)
            loss, own = compiled(model, x, y, y_hat, w), mean_square(y_hat)
            scaled = model.optimizer.scale_loss(loss) + own
        gradients = tape.gradient(scaled, model.trainable_variables)
        model.optimizer.apply(gradients, model.trainable_variables)
        return {"loss": loss + own if returned else loss}

    return penalized_train_step


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
        "The weights did not change, because you did not apply the gradients. Call "
        "`model.optimizer.apply(gradients, model.trainable_variables)`.",
        stepping(apply=not_applied),
    ),
    "climbs": Wrong(
        "The update goes uphill. Pass `apply` the gradients without a minus sign.",
        stepping(apply=climbing),
    ),
    "applied twice": Wrong(
        "The update is twice as large as it should be. Apply the gradients once.",
        stepping(apply=applied_twice),
    ),
    "own penalty left out": Wrong(
        "Your update does not include the extra penalty. Inside the block, add `0.1 * "
        "tf.reduce_mean(y_hat**2)` to the result of `model.compute_loss`, pass the sum to "
        "`scale_loss`, and apply the gradients of the scaled loss.",
        stepping(own=lambda y_hat: 0.0),
        trained_on_batch,
    ),
    "own penalty weighed": Wrong(
        "You apply the sample weights to the extra penalty. It is a plain mean: add it after "
        "`compute_loss`.",
        stepping(
            lambda m, x, y, z, w: compiled(m, x, y, z, w) + 0.1 * tf.reduce_mean(w[:, None] * z**2),
            own=lambda y_hat: 0.0,
        ),
    ),
    "own penalty whole": Wrong(
        "Your extra penalty is too large by a factor of 10. Use a tenth of the mean square.",
        stepping(own=lambda y_hat: 10 * mean_square(y_hat)),
    ),
    "own penalty added up": Wrong(
        "Your extra penalty sums the squares. Average them with `tf.reduce_mean`.",
        stepping(own=lambda y_hat: 0.1 * tf.reduce_sum(y_hat**2)),
    ),
    "own penalty of the mean": Wrong(
        "Your extra penalty squares the mean prediction. Square each prediction first, then "
        "average: `tf.reduce_mean(y_hat**2)`.",
        stepping(own=lambda y_hat: 0.1 * tf.reduce_mean(y_hat) ** 2),
    ),
    "own penalty a hundredth": Wrong(
        "Your extra penalty is too small by a factor of 10, because you square the factor 0.1 "
        "together with the prediction. Square first, then multiply by 0.1.",
        stepping(own=lambda y_hat: tf.reduce_mean((0.1 * y_hat) ** 2)),
    ),
    "own penalty of the error": Wrong(
        "Your extra penalty uses the error, `y_hat - y`. Square the prediction instead: `0.1 * "
        "tf.reduce_mean(y_hat**2)`.",
        stepping(
            lambda m, x, y, z, w: compiled(m, x, y, z, w) + mean_square(z - y),
            own=lambda y_hat: 0.0,
        ),
    ),
    "own penalty of another call": Wrong(
        "Your extra penalty uses a second forward pass, in inference mode. Call the model "
        "once, with `training=True`, and square that `y_hat`.",
        stepping(
            lambda m, x, y, z, w: compiled(m, x, y, z, w) + mean_square(m(x, training=False)),
            own=lambda y_hat: 0.0,
        ),
    ),
    "inference mode": Wrong(
        "At least one bug is left: the model runs in inference mode. Pass `training=True`.",
        stepping(loss_by_hand(), in_inference),
    ),
    "loss not compiled": Wrong(
        "At least one bug is left: you do not use the compiled loss. Call `model.compute_loss`, "
        "which handles loss, weights and penalties.",
        stepping(loss_by_hand(losses=each_square)),
    ),
    "loss not compiled, inference mode": Wrong(
        "At least two bugs are left. (1) The model runs in inference mode: pass `training=True`. "
        "(2) You do not use the compiled loss: call `model.compute_loss`.",
        stepping(loss_by_hand(losses=each_square), in_inference),
    ),
    "arguments exchanged": Wrong(
        "At least one bug is left: `y` and `y_hat` are swapped in the loss. Call "
        "`model.compute_loss`, which handles loss, weights and penalties.",
        stepping(loss_by_hand(losses=each_exchanged)),
    ),
    "losses added up": Wrong(
        "At least one bug is left: you sum the losses of the examples instead of averaging them. "
        "Call `model.compute_loss`, which handles loss, weights and penalties.",
        stepping(loss_by_hand(reduce=tf.reduce_sum)),
    ),
    "weights left out": Wrong(
        "At least one bug is left: you ignore the sample weights. Call `model.compute_loss`, which "
        "handles loss, weights and penalties.",
        stepping(loss_by_hand(weigh=unweighed)),
    ),
    "weights left out, inference mode": Wrong(
        "At least two bugs are left. (1) The model runs in inference mode: pass `training=True`. "
        "(2) You ignore the sample weights: call `model.compute_loss`.",
        stepping(loss_by_hand(weigh=unweighed), in_inference),
    ),
    "mean weight": Wrong(
        "At least one bug is left: every example gets the mean sample weight, perhaps because you "
        "multiply a loss of shape (n, 1) by weights of shape (n,). Call `model.compute_loss`, "
        "which handles loss, weights and penalties.",
        stepping(loss_by_hand(weigh=by_mean_weight)),
    ),
    "weights scaled": Wrong(
        "At least one bug is left: you divide the weighted losses by the sum of the weights "
        "instead of by n. Call `model.compute_loss`, which handles loss, weights and penalties.",
        stepping(loss_by_hand(weigh=by_scaled_weights)),
    ),
    "weights twice": Wrong(
        "At least one bug is left: you apply the sample weights twice. Call `model.compute_loss`, "
        "which handles loss, weights and penalties.",
        stepping(loss_by_hand(weigh=weighed_twice)),
    ),
    "penalties left out": Wrong(
        "At least one bug is left: the regularization losses are missing. Call "
        "`model.compute_loss`, which handles loss, weights and penalties.",
        stepping(loss_by_hand(penalties=0)),
    ),
    "penalties left out, inference mode": Wrong(
        "At least two bugs are left. (1) The model runs in inference mode: pass `training=True`. "
        "(2) The regularization losses are missing: call `model.compute_loss`.",
        stepping(loss_by_hand(penalties=0), in_inference),
    ),
    "penalties twice": Wrong(
        "At least one bug is left: the regularization losses are included twice, because "
        "`compute_loss` already adds `model.losses`. Remove your own sum.",
        stepping(loss_by_hand(penalties=2)),
    ),
    "loss not compiled, weights left out": Wrong(
        "At least two bugs are left: you do not use the compiled loss, and you ignore the sample "
        "weights. Call `model.compute_loss`, which handles both.",
        stepping(loss_by_hand(losses=each_square, weigh=unweighed)),
    ),
    "loss not compiled, penalties left out": Wrong(
        "At least two bugs are left: you do not use the compiled loss, and the regularization "
        "losses are missing. Call `model.compute_loss`, which handles both.",
        stepping(loss_by_hand(losses=each_square, penalties=0)),
    ),
    "weights left out, penalties left out": Wrong(
        "At least two bugs are left: you ignore the sample weights, and the regularization losses "
        "are missing. Call `model.compute_loss`, which handles both.",
        stepping(loss_by_hand(weigh=unweighed, penalties=0)),
    ),
    "loss not compiled, weights left out, penalties left out": Wrong(
        "At least three bugs are left: you do not use the compiled loss, you ignore the sample "
        "weights, and the regularization losses are missing. Call `model.compute_loss`, which "
        "handles all three.",
        stepping(loss_by_hand(losses=each_square, weigh=unweighed, penalties=0)),
    ),
    "loss not compiled, weights left out, penalties left out, inference mode": Wrong(
        "At least four bugs are left. (1) The model runs in inference mode: pass `training=True`. "
        "(2) You do not use the compiled loss, (3) you ignore the sample weights, and (4) the "
        "regularization losses are missing: call `model.compute_loss`.",
        stepping(loss_by_hand(losses=each_square, weigh=unweighed, penalties=0), in_inference),
    ),
    "arguments without names": Wrong(
        "Your arguments are shifted by one position, because `compute_loss` takes `x` first. "
        "Pass them by name: `x=`, `y=`, `y_pred=` and `sample_weight=`.",
        stepping(lambda m, x, y, z, w: m.compute_loss(y, z, w)),
    ),
    "by model.loss": Wrong(
        "At least one bug is left: you use `model.loss`, which includes neither sample weights nor "
        "regularization losses, and returns one number per example if it is a function." + COMPUTE,
        stepping(lambda m, x, y, z, w: m.loss(y, z)),
    ),
    "weights given to model.loss": Wrong(
        "You pass sample weights to `model.loss`, but the loss passed to `compile` here is a plain "
        "function that takes none." + COMPUTE,
        stepping(lambda m, x, y, z, w: m.loss(y, z, sample_weight=w)),
        stepping(lambda m, x, y, z, w: m.loss(y, z, w)),
    ),
    "no graph": Wrong(
        "`fit` runs the step in a graph, in which `float` and NumPy cannot read the value of a "
        "tensor. Return the loss as a tensor.",
        stepping(result=lambda loss, *given: {"loss": float(loss)}),
        stepping(result=lambda loss, *given: {"loss": loss.numpy()}),
    ),
    "prediction before tape": Wrong(
        "At least one bug is left: the loss has no gradient, because the tape did not record the "
        "prediction. Call the model inside the `with` block.",
        stepping(call=cut_off),
    ),
    "added up and unweighed": Wrong(
        "At least two bugs are left: you sum the losses of the examples instead of averaging them, "
        "and you ignore the sample weights." + COMPUTE,
        stepping(loss_by_hand(of_function, unweighed, tf.reduce_sum)),
        stepping(loss_by_hand(weigh=unweighed, reduce=tf.reduce_sum)),
    ),
    "divided by weights": Wrong(
        "At least two bugs are left. You divide the weighted losses by the sum of the weights "
        "instead of by n. And a loss object has already averaged the losses." + COMPUTE,
        stepping(loss_by_hand(of_function, by_scaled_weights)),
    ),
    "no penalty, wrong for objects": Wrong(
        "At least two bugs are left. (1) The regularization losses are missing. (2) A loss object "
        "already averages over the batch, so every example gets the mean sample weight." + COMPUTE,
        stepping(loss_by_hand(of_function, penalties=0)),
    ),
    "wrong for objects": Wrong(
        "Your update is right for a loss function, but not for a loss object, which already "
        "averages: every example gets the mean sample weight." + COMPUTE,
        stepping(loss_by_hand(of_function)),
    ),
    "whole loss weighed": Wrong(
        "At least one bug is left: you apply the sample weights to the whole loss. Pass them to "
        "`compute_loss`, which applies them to each example, and use its result unchanged.",
        stepping(lambda m, x, y, z, w: tf.reduce_mean(w * compiled(m, x, y, z, w))),
        stepping(lambda m, x, y, z, w: tf.reduce_mean(w) * compiled(m, x, y, z, None)),
        stepping(lambda m, x, y, z, w: tf.reduce_sum(w * compiled(m, x, y, z, w))),
        stepping(lambda m, x, y, z, w: tf.reduce_sum(w) * compiled(m, x, y, z, None)),
    ),
    "called twice": Wrong(
        "The update is right, but batch normalization's averages were updated more than once. "
        "Call the model once, and use that prediction for the loss and the gradients.",
        stepping(result=called_again(True)),
    ),
    "returns none": Wrong(
        "The update is right, but your function returned `None`, and `fit` needs a dict. "
        'Return `{"loss": loss}`.',
        stepping(result=lambda loss, *given: None),
    ),
    "loss without dict": Wrong(
        "The update is right, but you returned only the loss, and `fit` needs a dict. Return "
        '`{"loss": loss}`.',
        stepping(result=lambda loss, *given: loss),
    ),
    "loss after update": Wrong(
        "The update is right, but the loss in the dict was computed after it. Return the loss "
        "that you differentiated.",
        stepping(result=called_again(False)),
    ),
    "own penalty not returned": Wrong(
        "The update is right without loss scaling, but the loss in the dict lacks the extra "
        "penalty. Add the penalty before `scale_loss`, and return that loss, not the "
        "scaled one.",
        penalised_last(returned=False),
    ),
    "own penalty not scaled": Wrong(
        "If the optimizer scales the loss, your extra penalty is not scaled, so it ends up too "
        "small. Add it before `scale_loss`.",
        penalised_last(returned=True),
    ),
    "scaling left out": Wrong(
        "If the optimizer scales the loss, your update is too small, because `apply` divides by "
        "the scale. Call `model.optimizer.scale_loss(loss)` inside the block, and pass the "
        "gradients of the scaled loss to `apply` unchanged.",
        stepping(scale=lambda optimizer, loss: loss),
    ),
    "scaled twice": Wrong(
        "If the optimizer has a `loss_scale_factor`, your loss is scaled twice. Call "
        "`scale_loss` once.",
        stepping(scale=lambda optimizer, loss: optimizer.scale_loss(optimizer.scale_loss(loss))),
    ),
    "scaled loss returned": Wrong(
        "The update is right, but the loss in the dict is the scaled one. Return the loss that you "
        "passed to `scale_loss`.",
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
        "The layers before the last one are never updated. Apply their gradients with "
        "`model.optimizer`.",
        two_stepping(parts=lambda model: ([], of_layers(model.layers[-1:]))),
    ),
    "head not applied": Wrong(
        "The last layer is never updated. Apply its gradients with `model.head_optimizer`.",
        two_stepping(parts=lambda model: (of_layers(model.layers[:-1]), [])),
    ),
    "list of lists": Wrong(
        "The optimizer received lists instead of variables, because each layer's "
        "`trainable_variables` is a list. Build one list: `[v for layer in "
        "model.layers[:-1] for v in layer.trainable_variables]`.",
        two_stepping(
            parts=lambda model: (
                [layer.trainable_variables for layer in model.layers[:-1]],
                of_layers(model.layers[-1:]),
            )
        ),
    ),
    "layer as source": Wrong(
        "You used a layer as the source. Use its `trainable_variables`.",
        two_stepping(parts=lambda model: (of_layers(model.layers[:-1]), model.layers[-1])),
    ),
    "frozen layer moved": Wrong(
        "You updated a frozen layer. Use each layer's `trainable_variables`, not its `variables`.",
        two_stepping(
            parts=lambda model: (
                [v for layer in model.layers[:-1] for v in layer.variables],
                of_layers(model.layers[-1:]),
            )
        ),
        calls=(0,),
    ),
    "layer left out": Wrong(
        "The second-to-last layer is never updated. Use all layers before the last for "
        "`model.optimizer`: `model.layers[:-1]`.",
        two_stepping(
            parts=lambda model: (of_layers(model.layers[:-2]), of_layers(model.layers[-1:]))
        ),
    ),
    "empty slice": Wrong(
        "If the last layer is frozen, `model.optimizer` updates nothing, because `[:-0]` is an "
        "empty slice. Collect the variables of `model.layers[:-1]`.",
        two_stepping(parts=lambda model: cut_at(model, -len(of_layers(model.layers[-1:])))),
        two_stepping(
            parts=lambda model: (
                model.trainable_variables[: -len(of_layers(model.layers[-1:]))],
                of_layers(model.layers[-1:]),
            )
        ),
    ),
    "exchanged": Wrong(
        "The optimizers are swapped. Use `model.head_optimizer` for the last layer, and "
        "`model.optimizer` for the rest.",
        two_stepping(
            lambda model, loss: own_scales(model, loss)[::-1],
            optimizers=lambda model: (model.head_optimizer, model.optimizer),
        ),
    ),
    "exchanged after scaling": Wrong(
        "The optimizers are swapped: each applies gradients that were scaled for the other. "
        "Use `model.head_optimizer` for the last layer, and `model.optimizer` for the "
        "rest.",
        two_stepping(optimizers=lambda model: (model.head_optimizer, model.optimizer)),
    ),
    "one for all": Wrong(
        "`model.optimizer` updates every layer. Update the last layer with `model.head_optimizer`.",
        two_stepping(
            lambda model, loss: [model.optimizer.scale_loss(loss)] * 2,
            optimizers=lambda model: (model.optimizer, model.optimizer),
        ),
        two_stepping(optimizers=lambda model: (model.optimizer, model.optimizer)),
    ),
    "head updated twice": Wrong(
        "Both optimizers update the last layer. Pass `model.optimizer` only the variables of "
        "`model.layers[:-1]`.",
        two_stepping(parts=lambda model: (model.trainable_variables, of_layers(model.layers[-1:]))),
    ),
    "inference mode": Wrong(
        "The model runs in inference mode. Call `model(x, training=True)`.",
        two_stepping(training=False),
    ),
    "weights left out": Wrong(
        "You ignore the sample weights. Pass `sample_weight` to `compute_loss`.",
        two_stepping(loss_of=lambda m, x, y, z, w: m.compute_loss(x, y, z, None)),
    ),
    "penalties left out": Wrong(
        "The regularization losses are missing. Use `model.compute_loss`, which adds them.",
        two_stepping(loss_of=of_objects),
    ),
    "penalties twice": Wrong(
        "The regularization losses are included twice, because `model.compute_loss` already "
        "adds them. Remove your own sum.",
        two_stepping(loss_of=lambda m, x, y, z, w: m.compute_loss(x, y, z, w) + sum(m.losses)),
    ),
    "weights given to model.loss": Wrong(
        "You pass sample weights to `model.loss`, but the loss passed to `compile` here is a plain "
        "function that takes none." + COMPUTE,
        two_stepping(loss_of=lambda m, x, y, z, w: m.loss(y, z, sample_weight=w)),
        two_stepping(loss_of=lambda m, x, y, z, w: m.loss(y, z, w)),
    ),
    "no graph": Wrong(
        "`fit` runs the step in a graph, in which `float` and NumPy cannot read the value of a "
        "tensor. Return the loss as a tensor.",
        two_stepping(result=lambda loss, *given: {"loss": float(loss)}),
        two_stepping(result=lambda loss, *given: {"loss": loss.numpy()}),
    ),
    "head first": Wrong(
        "You compute the gradients of the first layers after the head was updated. Compute "
        "both gradients from one forward pass, before you apply either.",
        one_after_the_other(head_first=True),
    ),
    "body first": Wrong(
        "You compute the gradients of the head after the other layers were updated. Compute "
        "both gradients from one forward pass, before you apply either.",
        one_after_the_other(head_first=False),
    ),
    "not scaled": Wrong(
        "If an optimizer scales the loss, your updates are too small, because `apply` divides "
        "by the scale. Give each optimizer the gradients of its own `scale_loss(loss)`, "
        "unchanged.",
        two_stepping(lambda model, loss: [loss, loss]),
    ),
    "one scale": Wrong(
        "One optimizer gets gradients of the loss that was scaled for the other. Use "
        "`model.optimizer.scale_loss(loss)` for the first layers, and "
        "`model.head_optimizer.scale_loss(loss)` for the last.",
        two_stepping(lambda model, loss: [model.optimizer.scale_loss(loss)] * 2),
        two_stepping(lambda model, loss: [model.head_optimizer.scale_loss(loss)] * 2),
        two_stepping(lambda model, loss: own_scales(model, loss)[::-1]),
    ),
    "head not scaled": Wrong(
        "The update of the last layer is too small, because `model.head_optimizer.apply` "
        "divides by the scale. Compute its gradients from "
        "`model.head_optimizer.scale_loss(loss)`.",
        two_stepping(lambda model, loss: [model.optimizer.scale_loss(loss), loss]),
    ),
    "head scaled twice": Wrong(
        "The head's loss is scaled by both optimizers. Scale the plain loss once for each "
        "optimizer.",
        two_stepping(
            lambda model, loss: [
                model.optimizer.scale_loss(loss),
                model.head_optimizer.scale_loss(model.optimizer.scale_loss(loss)),
            ]
        ),
    ),
    "targets added up": Wrong(
        "You differentiate the sum of both scaled losses, because the tape sums targets in a list. "
        "Call `gradient` on a persistent tape once per scaled loss.",
        two_stepping(lambda model, loss: [sum(own_scales(model, loss))] * 2),
    ),
    "two layers as head": Wrong(
        "`model.head_optimizer` updates the last two layers if they have no biases, because "
        "you take the last two variables. Use `model.layers[-1].trainable_variables`.",
        two_stepping(parts=lambda model: cut_at(model, -2)),
        calls=(0,),
    ),
    "last variable as head": Wrong(
        "If the last layer has a bias, `model.head_optimizer` does not update all of the layer's "
        "variables. Pass it all of `model.layers[-1].trainable_variables`.",
        two_stepping(parts=lambda model: cut_at(model, -1)),
        two_stepping(parts=lambda model: (of_layers(model.layers[:-1]), [model.layers[-1].kernel])),
        calls=(1, 2),
    ),
    "slices at fixed places": Wrong(
        "Your slices use fixed positions, which fit only one model: with biases, the variables "
        "of the last layer are elsewhere. Use `model.layers[-1].trainable_variables`.",
        two_stepping(
            parts=lambda model: (model.trainable_variables[:2], model.trainable_variables[2:4])
        ),
        two_stepping(parts=lambda model: cut_at(model, 2)),
        calls=(1,),
    ),
    "loss not compiled": Wrong(
        "You do not use the compiled loss. Call `model.compute_loss`.",
        two_stepping(loss_of=lambda m, x, y, z, w: by_hand_of_squares(y, z, w) + sum(m.losses)),
        two_stepping(loss_of=lambda m, x, y, z, w: by_hand_of_squares(y, z, None) + sum(m.losses)),
    ),
    "by model.loss": Wrong(
        "You use `model.loss`, which includes neither sample weights nor regularization losses, "
        "and returns one number per example if it is a function. Call `model.compute_loss`, which "
        "handles all three.",
        two_stepping(loss_of=lambda m, x, y, z, w: m.loss(y, z)),
    ),
    "penalty of 14.3": Wrong(
        "Your loss still includes the penalty from exercise 14.3. Use only the compiled loss.",
        two_stepping(loss_of=lambda m, x, y, z, w: m.compute_loss(x, y, z, w) + mean_square(z)),
    ),
    "scaled twice": Wrong(
        "Both optimizers scale your loss, one after the other. Scale the plain loss once for each "
        "optimizer.",
        two_stepping(
            lambda model, loss: (
                [model.head_optimizer.scale_loss(model.optimizer.scale_loss(loss))] * 2
            )
        ),
    ),
    "returns none": Wrong(
        "The update is right, but your function returned `None`, and `fit` needs a dict. "
        'Return `{"loss": loss}`.',
        two_stepping(result=lambda *given: None),
    ),
    "loss after update": Wrong(
        "The update is right, but the loss in the dict was computed after it. Return the loss "
        "that you differentiated.",
        two_stepping(result=loss_afterwards),
    ),
    "scaled loss returned": Wrong(
        "The update is right, but the loss in the dict is scaled. Return the unscaled loss.",
        two_stepping(result=lambda loss, model, *given: {"loss": model.optimizer.scale_loss(loss)}),
        two_stepping(
            result=lambda loss, model, *given: {"loss": model.head_optimizer.scale_loss(loss)}
        ),
    ),
    "losses added up": Wrong(
        "The update is right, but the loss in the dict is the sum of both scaled losses. Return "
        "the unscaled loss.",
        two_stepping(result=lambda loss, model, *given: {"loss": sum(own_scales(model, loss))}),
    ),
}

# 14.5

LARGER = "That would work, but a simpler option is enough: "
ONE_OF = (
    '{value} is not one of the answers. Write "fit", "train_step" or "loop", exactly like this.'
)
OPTIMIZER = LARGER + (
    "an optimizer gets every gradient with its variable, and you can pass your own optimizer "
    "to `compile`."
)
DATA = LARGER + (
    "the noise is part of the data. A callback can set a variable that the pipeline's `map` reads "
    "for each element."
)
MEANS = [
    Table({"train_step": OPTIMIZER, "loop": OPTIMIZER}, ONE_OF),
    Table(
        {
            "fit": "An optimizer does get every gradient, but only of the sum of the two losses, "
            "so the two gradients can no longer be separated. Compute both gradients in "
            "`train_step`.",
            "loop": LARGER
            + "each batch still leads to one update, and `train_step` can compute both gradients.",
        },
        ONE_OF,
    ),
    Table({"train_step": DATA, "loop": DATA}, ONE_OF),
    Table(
        {
            "fit": "An optimizer does get the gradient, but at the current weights. For a "
            "gradient at other weights you need a second forward pass, which `train_step` "
            "can run.",
            "loop": LARGER + "each batch still leads to one update, and `train_step` can compute "
            "both gradients.",
        },
        ONE_OF,
    ),
    Table(
        {
            "fit": "Keras's own step does one update per batch, and never undoes it. But this "
            "update may be undone.",
            "train_step": "A `train_step` is one update for one batch. But here an update measures "
            "the loss on all data several times, and may be undone, so use a loop.",
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
        "At least one bug is left: a layer that behaves differently in training, such as dropout, "
        "runs in inference mode. Call the whole model with `training=True` (lesson 09).",
        script(step_with(lambda model, batch: model(batch, training=False))),
        calls=(0,),
    ),
    "penalties left out": Wrong(
        "At least one bug is left: the loss does not include the regularization. Add "
        "`sum(model.losses)` to the loss, inside the block (lesson 09).",
        script(step_with(penalties=lambda model: 0)),
        calls=(1,),
    ),
    "first layer's penalty left out": Wrong(
        "At least one bug is left: the loss does not include the penalty of the first layer, which "
        "is not part of `rest`. Add `sum(model.losses)` of the whole model (lesson 09).",
        script(step_with(penalties=behind_the_first_layer)),
        calls=(7,),
    ),
    "table of errors": Wrong(
        "At least one bug is left: prediction and target have different shapes, (n, 1) and (n,), "
        "so their difference broadcasts to (n, n). Give both the shape (n,), for example with "
        "`[:, 0]` (lesson 09).",
        script(step_with(column=False)),
        calls=(2,),
    ),
    "slope of small errors": Wrong(
        "At least one bug is left: a hand-written gradient is wrong for errors below 1 in size, as "
        "`check_gradients` shows. Use `tf.clip_by_value(error, -1, 1)`: the error itself up to "
        "size 1, its sign beyond (lesson 07).",
        script(step_with(slope=tf.sign)),
        calls=(3,),
    ),
    "slope without limit": Wrong(
        "The slope of `huber` is now right for errors up to size 1, but for larger errors it "
        "should be their sign. Use `tf.clip_by_value(error, -1, 1)` for both.",
        script(step_with(slope=lambda error: error)),
        calls=(1,),
    ),
    "rate of the first trace": Wrong(
        "At least one bug is left: every epoch uses the first learning rate, because Python code "
        "in a `tf.function` runs only during tracing. Set `optimizer.learning_rate` at the start "
        "of each epoch, outside the `tf.function` (lesson 05).",
        script(rate_of=lambda rates, epoch: rates[0]),
        calls=(4,),
    ),
    "first layer outside": Wrong(
        "At least one bug is left: the first layer never learns, because it is computed outside "
        "the tape. Call the whole model inside the block (lesson 03).",
        first_layer_outside,
        calls=(5,),
    ),
    "first layer in inference": Wrong(
        "At least one bug is left: the first layer, which may be a dropout layer, runs in "
        "inference mode. Call the whole model with `training=True` (lesson 09).",
        script(step_with(first_layer_in_inference)),
        calls=(6,),
    ),
    "epoch missing": Wrong(
        "You train only the first of two epochs. Loop over all entries of `rates`, and return "
        "after that loop.",
        lambda *given: script()(*given[:5], given[5][:1], given[6]),
        calls=(0,),
    ),
    "rates in another order": Wrong(
        "Your epochs use the learning rates in the wrong order. Use `rates[0]` in epoch 0, and so "
        "on; `rates[-1]` is the last one.",
        script(rate_of=lambda rates, epoch: rates[epoch - 1]),
        calls=(4,),
    ),
    "penalties twice": Wrong(
        "Your loss includes the penalties twice. Add `sum(model.losses)` once.",
        script(step_with(penalties=lambda model: 2 * sum(model.losses))),
        calls=(1,),
    ),
    "slope's sign": Wrong(
        "The slope of `huber` has the wrong sign, at least for an error below -1. Return "
        "`upstream * tf.clip_by_value(error, -1, 1)`, which is negative for a negative "
        "error.",
        script(step_with(slope=lambda error: tf.minimum(tf.abs(error), 1.0))),
        calls=(0,),
    ),
    "rate an epoch late": Wrong(
        "Each learning rate takes effect one epoch late. Set `optimizer.learning_rate` to "
        "`rates[epoch]` before the first batch of the epoch.",
        script(rate_of=lambda rates, epoch: rates[epoch - 1] if epoch else 0.01),
        calls=(0,),
    ),
    "default rate": Wrong(
        "The optimizer always uses its default learning rate, 0.01. Set "
        "`optimizer.learning_rate` to `rates[epoch]` in each epoch, outside the graph.",
        script(rate_of=lambda rates, epoch: 0.01),
        calls=(0,),
    ),
    "errors added up": Wrong(
        "Each update is n times too large for a batch of n examples. Use the mean of `huber`, and "
        "let its backward function multiply by `upstream`, which contains the factor 1/n.",
        script(step_with(factor=lambda errors: float(errors.shape[0]))),
        calls=(0,),
    ),
    "short batch left out": Wrong(
        "You never train on the short last batch. Start a slice at each number in `range(0, "
        "len(x), batch_size)`.",
        script(starts=lambda n, size: range(0, n - size + 1, size)),
        calls=(5,),
    ),
    "reset for each batch": Wrong(
        "The weights are right, but the training loss includes only the last batch. Reset the "
        "metric once per epoch, before the first batch.",
        script(resets_at=lambda start: True),
        calls=(0,),
    ),
    "penalties not in history": Wrong(
        "The weights are right, but the training loss in your history lacks the penalties, "
        "which `fit` includes. Record the loss that you differentiated.",
        script(step_with(reported=0)),
        calls=(1,),
    ),
    "reset before it is noted": Wrong(
        "The weights are right, but the training loss is 0, because you reset the metric "
        "before you read it. Reset it before the first batch of an epoch.",
        script(weight_of=lambda batch: 0.0),
        calls=(0,),
    ),
    "measured after the epoch": Wrong(
        "The weights are right, but you measure the training loss on all data after the epoch. "
        "`fit` reports the mean of the batch losses, each taken before its update: update "
        "the metric with the result of `step`.",
        measuring_after,
        calls=(0,),
    ),
    "losses of batches added up": Wrong(
        "The weights are right, but you sum the training losses of the batches. `fit` reports "
        "their mean, weighted by batch size: use `keras.metrics.Mean`.",
        adding_up(len),
        adding_up(sum),
        calls=(0,),
    ),
    "never reset": Wrong(
        "The weights are right, but at least one bug is left in the training loss: from the second "
        "epoch on, it averages all epochs so far. Call `mean.reset_state()` at the start of each "
        "epoch (lesson 09).",
        script(resets_at=lambda start: False),
        calls=(0,),
    ),
    "mean of means": Wrong(
        "The weights are right, but at least one bug is left in the training loss: a short last "
        "batch has the same weight as a full one. Pass `update_state` the batch size as "
        "`sample_weight` (lesson 09).",
        script(weight_of=lambda batch: None),
        calls=(5,),
    ),
    "validated in training": Wrong(
        "The weights and the training loss are right, but you validate in training mode, with "
        "dropout. Pass `training=False` (lesson 09).",
        script(validate=validating(training=True)),
        calls=(0,),
    ),
    "validation's table of errors": Wrong(
        "The weights and the training loss are right, but in validation, the difference between "
        "tensors of shapes (n, 1) and (n,) broadcasts to (n, n). Give both the shape (n,) there "
        "as well.",
        script(validate=validating(column=False)),
        calls=(2,),
    ),
    "validated before the epoch": Wrong(
        "The weights and the training loss are right, but you validate before each epoch. "
        "Validate after it, as `fit` does.",
        validating_before,
        calls=(0,),
    ),
    "validated on the training data": Wrong(
        "The weights and the training loss are right, but you validate on the training data. "
        "Use `x_val` and `y_val`.",
        validating_on_training_data,
        calls=(0,),
    ),
    "penalties not validated": Wrong(
        "Your validation loss lacks the penalties, which `fit` includes there as well. Add "
        "`sum(model.losses)`.",
        script(validate=validating(penalties=0)),
        calls=(1,),
    ),
    "returns none": Wrong(
        "The weights are right, but your function returned `None`. At the end, return the history, "
        "a dict of two lists.",
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


def new_adams_with_falling_rates(model, x, y, steps):
    losses = []
    for step in range(steps):
        losses += training(rate=0.05 / (step + 1))(model, x, y, 1)
    return losses


TRAININGS = {
    "a new Adam at each step": Wrong(
        "You create a new Adam in every step, so its averages contain only one gradient and "
        "every weight moves by the full learning rate. Create the optimizer once, before "
        "the loop.",
        training(anew=True),
    ),
    "another rate": Wrong(
        "You changed the learning rate, which is not the bug. Keep 0.05, and create the optimizer "
        "once, before the loop.",
        *(training(anew=True, rate=rate) for rate in (0.005, 0.01, 0.001)),
        training(rate=0.01),
        training(rate=0.005),
        training(rate=0.001),
        rate_that_falls,
        new_adams_with_falling_rates,
    ),
    "another optimizer": Wrong(
        "You use a different optimizer. Keep Adam with its learning rate; the bug is that Adam "
        "loses its averages.",
        training(keras.optimizers.SGD),
        training(lambda rate: keras.optimizers.SGD(rate, momentum=0.9)),
        training(keras.optimizers.RMSprop),
        training(keras.optimizers.SGD, anew=True, rate=0.01),
    ),
    "losses after the steps": Wrong(
        "The weights are right, but each loss was computed after its step. Return the losses "
        "computed before the steps.",
        training(after=True),
    ),
    "last loss alone": Wrong(
        "The weights are right, but you returned only the last loss. Return the list of all "
        "losses.",
        training(last=True),
    ),
    "updated once": Wrong(
        "The weights changed only once. Call `optimizer.apply` in every step, and return after "
        "the last one.",
        training(updated=False),
        lambda model, x, y, steps: training()(model, x, y, 1),
    ),
    "one gradient for all": Wrong(
        "Every step uses the gradient at the initial weights. Put the tape inside the loop, around "
        "a loss computed with the current weights.",
        one_gradient,
    ),
    "one step too many": Wrong(
        "Your function takes one step too many. Use `range(steps)`.",
        lambda model, x, y, steps: training()(model, x, y, steps + 1),
    ),
    "one step too few": Wrong(
        "Your function takes one step too few. Use `range(steps)`.",
        lambda model, x, y, steps: training()(model, x, y, steps - 1),
    ),
    "table of errors": Wrong(
        "The difference between tensors of shapes (n, 1) and (n,) broadcasts to (n, n). The "
        "prediction and `y` already have shape (n, 1), so use them unchanged.",
        lambda model, x, y, steps: training()(model, x, y[:, 0], steps),
    ),
    "model not trained": Wrong(
        "The model you were given was never trained. Apply the gradients to its own variables, "
        "not to a copy's.",
        on_a_copy,
    ),
    "last layer alone": Wrong(
        "Only the last layer learns. Compute the gradients with respect to all "
        "`model.trainable_variables`, and apply them.",
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
