import numpy as np
import tensorflow as tf

from answers import ERROR, Answers, Wrong


def clipped_where(rule, clip=lambda g: tf.clip_by_norm(g, 1.0)):
    """Return an answer to 11.1 that clips the variables that the rule picks."""

    def clip_head(variables, gradients):
        return [clip(g) if rule(v) else g for v, g in zip(variables, gradients, strict=True)]

    return clip_head


def of_head(variable):
    return variable.path.split("/")[-2] == "head"


def clip_head_in_numpy(variables, gradients):
    clipped = []
    for variable, gradient in zip(variables, gradients, strict=True):
        gradient = gradient.numpy()
        if "/head/" in variable.path:
            gradient = gradient / max(1.0, np.linalg.norm(gradient))
        clipped.append(gradient)
    return tuple(clipped)


def clip_head_as_a_whole(variables, gradients):
    gradients = list(gradients)
    places = [i for i, v in enumerate(variables) if of_head(v)]
    clipped, _ = tf.clip_by_global_norm([gradients[i] for i in places], 1.0)
    for i, gradient in zip(places, clipped, strict=True):
        gradients[i] = gradient
    return gradients


def clip_last_two(variables, gradients):
    return [*gradients[:-2], *[tf.clip_by_norm(g, 1.0) for g in gradients[-2:]]]


def clip_head_to_no_avail(variables, gradients):
    for variable, gradient in zip(variables, gradients, strict=True):
        if of_head(variable):
            gradient = tf.clip_by_norm(gradient, 1.0)
    return gradients


def return_head_alone(variables, gradients):
    pairs = zip(variables, gradients, strict=True)
    return [tf.clip_by_norm(g, 1.0) for v, g in pairs if of_head(v)]


def clip_head_without_return(variables, gradients):
    clipped_where(of_head)(variables, gradients)


def scaled_by(factor):
    """Return an answer to 11.3 that scales a layer by ``factor(gradients, limit)``."""

    def clip_layers(gradients, limits):
        return {
            layer: [g * factor([p.numpy() for p in parts], limits[layer]) for g in parts]
            for layer, parts in gradients.items()
        }

    return clip_layers


def joint(parts):
    return np.sqrt(sum(np.sum(p**2) for p in parts))


def each_gradient(clip):
    """Return an answer to 11.3 that clips gradient by gradient."""

    def clip_layers(gradients, limits):
        return {
            layer: [clip(g, limits[layer]) for g in parts] for layer, parts in gradients.items()
        }

    return clip_layers


def layers_by_tensorflow(gradients, limits):
    clipped = {}
    for layer in gradients:
        clipped[layer], _ = tf.clip_by_global_norm(gradients[layer], limits[layer])
    return clipped


def layers_by_flat_vector(gradients, limits):
    clipped = {}
    for layer, parts in gradients.items():
        norm = np.linalg.norm(np.concatenate([np.ravel(p) for p in parts]))
        too_long = norm > limits[layer]
        clipped[layer] = [p.numpy() * limits[layer] / norm if too_long else p for p in parts]
    return clipped


def layers_of_kernel_and_bias(gradients, limits):
    clipped = {}
    for layer, (kernel, bias) in gradients.items():
        norm = tf.sqrt(tf.reduce_sum(kernel**2) + tf.reduce_sum(bias**2))
        factor = limits[layer] / tf.maximum(norm, limits[layer])
        clipped[layer] = [factor * kernel, factor * bias]
    return clipped


def layers_by_norm_of(join):
    """Return an answer to 11.3 that takes the norm of a layer's gradients joined."""

    def clip_layers(gradients, limits):
        return {
            k: [g * tf.minimum(1.0, limits[k] / tf.norm(join(parts))) for g in parts]
            for k, parts in gradients.items()
        }

    return clip_layers


def flat(parts):
    return tf.concat([tf.reshape(g, [-1]) for g in parts], 0)


def layers_with_their_norms(gradients, limits):
    return {k: tf.clip_by_global_norm(gradients[k], limits[k]) for k in gradients}


def layers_in_a_list(gradients, limits):
    return [tf.clip_by_global_norm(gradients[k], limits[k])[0] for k in gradients]


def layers_of_kernels(gradients, limits):
    return {k: tf.clip_by_global_norm(gradients[k], limits[k])[0][:1] for k in gradients}


def layers_by_number(gradients, limits):
    return dict(enumerate(layers_in_a_list(gradients, limits)))


def layers_without_return(gradients, limits):
    layers_by_tensorflow(gradients, limits)


def layers_all_together(gradients, limits):
    total = tf.linalg.global_norm([g for parts in gradients.values() for g in parts])
    return {
        k: tf.clip_by_global_norm(parts, limits[k], use_norm=total)[0]
        for k, parts in gradients.items()
    }


def layers_under_one_limit(place):
    def clip_layers(gradients, limits):
        limit = list(limits.values())[place]
        return {k: tf.clip_by_global_norm(parts, limit)[0] for k, parts in gradients.items()}

    return clip_layers


def layers_as_kernels(gradients, limits):
    return {k: parts[0] for k, parts in gradients.items()}


def layers_halved(gradients, limits):
    clipped = layers_by_tensorflow(gradients, limits)
    return {k: [g / 2 for g in parts] for k, parts in clipped.items()}


def split(model):
    last = model.layers[-1].trainable_variables
    return [v for layer in model.layers[:-1] for v in layer.trainable_variables], last


def mean_square(error):
    return tf.reduce_mean(error**2)


def two_gradients(model, x, y, reduce=mean_square):
    with tf.GradientTape() as tape:
        loss = reduce(model(x, training=True) - y)
    return tape.gradient(loss, split(model))


def stepped(apply, reduce=mean_square):
    """Return an answer to 11.4 with another use of the gradients."""

    def two_speed_step(model, slow, fast, x, y):
        of_rest, of_last = two_gradients(model, x, y, reduce)
        apply(slow, fast, of_rest, of_last, *split(model))

    return two_speed_step


def as_asked(slow, fast, of_rest, of_last, rest, last):
    slow.apply(of_rest, rest)
    fast.apply(of_last, last)


def swapped(slow, fast, of_rest, of_last, rest, last):
    as_asked(fast, slow, of_rest, of_last, rest, last)


def with_one(choose):
    def apply(slow, fast, of_rest, of_last, rest, last):
        choose(slow, fast).apply([*of_rest, *of_last], [*rest, *last])

    return apply


def with_both(slow, fast, of_rest, of_last, rest, last):
    for optimizer in (slow, fast):
        with_one(lambda slow, fast: optimizer)(slow, fast, of_rest, of_last, rest, last)  # noqa: B023


def slow_for_all(slow, fast, of_rest, of_last, rest, last):
    slow.apply([*of_rest, *of_last], [*rest, *last])
    fast.apply(of_last, last)


def fast_for_all(slow, fast, of_rest, of_last, rest, last):
    slow.apply(of_rest, rest)
    fast.apply([*of_rest, *of_last], [*rest, *last])


def last_alone(slow, fast, of_rest, of_last, rest, last):
    fast.apply(of_last, last)


def rest_alone(slow, fast, of_rest, of_last, rest, last):
    slow.apply(of_rest, rest)


def bias_alone(slow, fast, of_rest, of_last, rest, last):
    slow.apply([*of_rest, of_last[0]], [*rest, last[0]])
    fast.apply(of_last[1:], last[1:])


def uphill(slow, fast, of_rest, of_last, rest, last):
    as_asked(slow, fast, [-g for g in of_rest], [-g for g in of_last], rest, last)


def without_pairs(slow, fast, of_rest, of_last, rest, last):
    slow.apply_gradients(of_rest)
    fast.apply_gradients(of_last)


def variables_first(slow, fast, of_rest, of_last, rest, last):
    as_asked(slow, fast, rest, last, of_rest, of_last)


def loss_below_the_tape(model, slow, fast, x, y):
    with tf.GradientTape() as tape:
        y_hat = model(x, training=True)
    of_rest, of_last = tape.gradient(mean_square(y_hat - y), split(model))
    as_asked(slow, fast, of_rest, of_last, *split(model))


def mixed_up(slow, fast, of_rest, of_last, rest, last):
    as_asked(slow, fast, of_last, of_rest, rest, last)


def two_speeds_by_persistent_tape(model, slow, fast, x, y):
    *body, head = model.layers
    rest = [v for layer in body for v in layer.variables]
    with tf.GradientTape(persistent=True) as tape:
        loss = tf.keras.losses.MeanSquaredError()(y, model(x))
    of_last = tape.gradient(loss, head.variables)
    of_rest = tape.gradient(loss, rest)
    fast.apply_gradients(zip(of_last, head.variables, strict=True))
    slow.apply_gradients(zip(of_rest, rest, strict=True))
    return loss


def two_speeds_by_hand(model, slow, fast, x, y):
    gradients = two_gradients(model, x, y)
    for optimizer, gs, vs in zip((slow, fast), gradients, split(model), strict=True):
        for gradient, variable in zip(gs, vs, strict=True):
            variable.assign_sub(float(optimizer.learning_rate) * gradient)


def rest_first(model, slow, fast, x, y):
    rest, last = split(model)
    slow.apply(two_gradients(model, x, y)[0], rest)
    fast.apply(two_gradients(model, x, y)[1], last)


def last_first(model, slow, fast, x, y):
    rest, last = split(model)
    fast.apply(two_gradients(model, x, y)[1], last)
    slow.apply(two_gradients(model, x, y)[0], rest)


def two_whole_steps(model, slow, fast, x, y):
    for optimizer in (slow, fast):
        of_rest, of_last = two_gradients(model, x, y)
        optimizer.apply([*of_rest, *of_last], model.trainable_variables)


ANSWERS = {
    "11.1": Answers(
        right=[clipped_where(of_head), clip_head_in_numpy],
        wrong=[
            Wrong(clipped_where(lambda v: "head/" in v.name), "No gradient came back clipped"),
            Wrong(clip_head_to_no_avail, "Return what tf.clip_by_norm returns"),
            Wrong(clipped_where(lambda v: "head" in v.path), "`headline` is clipped too"),
            Wrong(clipped_where(lambda v: "news" in v.path), "Every gradient is clipped"),
            Wrong(clipped_where(lambda v: not of_head(v)), "the other way round"),
            Wrong(clipped_where(lambda v: "headline" in v.path), "and `head` is not"),
            Wrong(clipped_where(lambda v: "/head/kernel" in v.path), "but its bias is not"),
            Wrong(clipped_where(lambda v: "/head/bias" in v.path), "but its kernel is not"),
            Wrong(clip_head_as_a_whole, "Clip each gradient by itself"),
            Wrong(clipped_where(of_head, lambda g: tf.clip_by_value(g, -1, 1)), "by value"),
            Wrong(clipped_where(of_head, lambda g: g / tf.norm(g)), "are made longer"),
            Wrong(clip_last_two, "The gradient of `head/kernel` came back with the norm 3"),
            Wrong(
                clipped_where(of_head, lambda g: tf.clip_by_norm(g, 2.0)),
                "The gradient of `head/kernel` came back with the norm 2",
            ),
            Wrong(return_head_alone, "You returned 2 items for 6 variables"),
            Wrong(clip_head_without_return, "Your function returned None"),
            Wrong(lambda v, g: g[::-1], "in the order in which they came"),
            Wrong(lambda v, g: [None] * len(g), "Return a tensor for each variable"),
            Wrong(lambda v, g: {"head": g}, "Return a list with one gradient"),
            Wrong(clipped_where(lambda v: v.layer == "head"), "layer", ERROR),
        ],
    ),
    "11.2": Answers(
        right=[(-1.5, -2, -6), [[-1.5, -2.0], [-6.0]], np.array([-1.5, -2.0, -6.0])],
        wrong=[
            Wrong([1.5, 2, 6], "the clipped gradient. A step subtracts"),
            Wrong([-6, -8, -24], "This step is not clipped"),
            Wrong([6, 8, 24], "the gradients as they came"),
            Wrong([-3.9, -5.2, -6.5], "This is `clipnorm`"),
            Wrong([3.9, 5.2, 6.5], "The sign is wrong"),
            Wrong([-6, -6.5, -6.5], "This is `clipvalue`"),
            Wrong([-0.231, -0.308, -0.923], "This step has the norm 1"),
            Wrong([-0.923, -1.231, -3.692], "You divided by the limit"),
            Wrong([-1.147, -1.529, -4.588], "You added the norms"),
            Wrong([-1.026, -1.368, -4.105], "You added the three numbers"),
            Wrong([-1, -2, -3], "These numbers are not it"),
            Wrong([-1.5, -2], "three numbers"),
            Wrong(-1.5, "three numbers"),
            Wrong("None", "three numbers"),
        ],
    ),
    "11.3": Answers(
        right=[layers_by_tensorflow, layers_by_flat_vector, layers_by_norm_of(flat)],
        wrong=[
            Wrong(each_gradient(tf.clip_by_norm), "clipped by its own norm"),
            Wrong(each_gradient(lambda g, limit: tf.clip_by_value(g, -limit, limit)), "by value"),
            Wrong(lambda gradients, limits: gradients, "came back unchanged"),
            Wrong(scaled_by(lambda p, limit: limit / max(joint(p), 1e-9)), "are made longer"),
            Wrong(
                scaled_by(lambda p, limit: limit / joint(p) if joint(p) else np.nan),
                "comes back as nan",
            ),
            Wrong(scaled_by(lambda p, limit: np.nan), "Look for a division"),
            Wrong(
                scaled_by(lambda p, limit: limit / max(limit, sum(map(np.linalg.norm, p)))),
                "You added the norms",
            ),
            Wrong(scaled_by(lambda p, limit: limit / max(limit, joint(p) ** 2)), "is its root"),
            Wrong(
                scaled_by(lambda p, limit: limit / max(limit, joint(p[:1]))),
                "the first gradient of the layer alone",
            ),
            Wrong(layers_all_together, "norm of all layers together"),
            Wrong(layers_under_one_limit(0), "the same limit"),
            Wrong(layers_under_one_limit(-1), "the same limit"),
            Wrong(layers_halved, "has the joint norm 10 and the limit 5, and came back with 2.5"),
            Wrong(layers_with_their_norms, "tf.clip_by_global_norm returns both"),
            Wrong(layers_in_a_list, "Return a dict"),
            Wrong(layers_by_number, "The dict has 0, 1"),
            Wrong(layers_of_kernels, "belong gradients of the shapes"),
            Wrong(layers_as_kernels, "Keep the list"),
            Wrong(layers_without_return, "Your function returned None"),
            Wrong(layers_by_norm_of(tf.stack), "tensors of different shapes", ERROR),
            Wrong(layers_by_norm_of(lambda p: tf.concat(p, 0)), "make each a vector", ERROR),
            Wrong(
                layers_by_norm_of(lambda p: tf.stack([g.flatten() for g in p])),
                "flatten belongs to NumPy's arrays",
                ERROR,
            ),
            Wrong(layers_of_kernel_and_bias, "expected 2, got 1", ERROR),
        ],
    ),
    "11.4": Answers(
        right=[stepped(as_asked), two_speeds_by_persistent_tape, two_speeds_by_hand],
        wrong=[
            Wrong(lambda *arguments: None, "No weight has moved"),
            Wrong(stepped(swapped), "The optimizers are swapped"),
            Wrong(stepped(with_one(lambda slow, fast: slow)), "Every layer moved with slow"),
            Wrong(stepped(with_one(lambda slow, fast: fast)), "Every layer moved with fast"),
            Wrong(stepped(last_alone), "Only the last layer has moved"),
            Wrong(stepped(rest_alone), "The last layer has not moved"),
            Wrong(stepped(with_both), "Both optimizers moved every layer"),
            Wrong(stepped(slow_for_all), "The last layer moved with both"),
            Wrong(stepped(fast_for_all), "Give fast the last one alone"),
            Wrong(rest_first, "from after the first one's update"),
            Wrong(last_first, "from after the first one's update"),
            Wrong(two_whole_steps, "Two whole steps"),
            Wrong(stepped(as_asked, lambda e: tf.reduce_sum(e**2)), "are added up"),
            Wrong(stepped(as_asked, lambda e: mean_square(e) / 2), "leave out the factor 1/2"),
            Wrong(stepped(uphill), "went uphill"),
            Wrong(stepped(bias_alone), "Only the bias of the last layer"),
            Wrong(
                stepped(as_asked, lambda e: tf.reduce_mean(tf.abs(e))),
                "In a model of 2 layers, the kernel of layer 0 should move",
            ),
            Wrong(stepped(mixed_up), "hape", ERROR),
            Wrong(stepped(without_pairs), "apply_gradients takes pairs", ERROR),
            Wrong(stepped(variables_first), "a tensor in place of a variable", ERROR),
            Wrong(loss_below_the_tape, "every gradient is None", ERROR),
        ],
    ),
}
