"""Each error that is put in a learner's words, as TensorFlow and Keras really raise it."""

import re

import keras
import numpy as np
import pytest
import tensorflow as tf

from course_utils.exercises import errors_in_words
from course_utils.exercises.errors_in_words import cause_in_words
from course_utils.exercises.observation import observe_calls


def name_of_a_cell_that_did_not_run():
    return layers.Dense(1)  # noqa: F821


def gradient_of(compute, **options):
    """Return d compute(w)/dw at 3 as a learner asks for it."""
    w = tf.Variable(3.0)
    with tf.GradientTape(**options) as tape:
        y = compute(w)
    return tape.gradient(y, w)


def second_derivative_without_a_path():
    w = tf.Variable(3.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.constant(2.0) ** 2
        slope = inner.gradient(y, w)
    return outer.gradient(slope, w)


def sum_of_gradients_without_a_path():
    return gradient_of(lambda w: tf.constant(1.0)) + 1.0


def tensor_times_none():
    return tf.constant(2.0) * gradient_of(lambda w: tf.constant(1.0))


def gradient_with_respect_to(source):
    w = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = w**2
    return tape.gradient(y, source)


def asked_twice():
    w = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = w**2
    return tape.gradient(y, w), tape.gradient(y, w)


@tf.function
def list_filled_in_a_graph(add=sum):
    squares = []
    for x in tf.constant([1.0, 2.0]):
        squares.append(x**2)
    return add(squares)


@tf.function
def sum_that_starts_at_none():
    total = None
    for x in tf.data.Dataset.range(2):
        total = x if total is None else total + x
    return total


@tf.function
def sum_that_starts_nowhere():
    for x in tf.data.Dataset.range(2):
        total = x**2
    return total


def keras_model():
    return keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)])


def zeros_for_a_keras_variable():
    model, x = keras_model(), tf.ones((2, 1))
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(x)
    return tape.gradient(loss, model.trainable_variables, unconnected_gradients="zero")


def custom_gradient_that_forgets_the_value():
    @tf.custom_gradient
    def clipped(x):
        return tf.identity(x)

    return clipped(tf.ones(3))


def custom_gradient_the_wrong_way_round():
    @tf.custom_gradient
    def clipped(x):
        return (lambda upstream: upstream), tf.identity(x)

    return gradient_of(clipped)


def custom_gradient_of_three_things():
    @tf.custom_gradient
    def clipped(x):
        return tf.identity(x), x, lambda upstream: upstream

    return clipped(tf.constant(3.0))


def optimizer_without_gradients():
    model = keras_model()
    keras.optimizers.SGD(0.1).apply([None, None], model.trainable_variables)


def optimizer_the_wrong_way_round():
    w = tf.Variable(3.0)
    keras.optimizers.SGD(0.1).apply([w], [tf.constant(1.0)])


def optimizer_the_wrong_way_round_in_a_graph():
    w, optimizer = tf.Variable(3.0), keras.optimizers.SGD(0.1)
    tf.function(lambda g: optimizer.apply([w], [g]))(tf.constant(1.0))


def variable_made_a_local_name():
    w = tf.Variable(1.0)

    def moved():
        w = w - 0.1  # noqa: F823
        return w

    return moved()


def variable_made_a_local_name_in_a_loop():
    w = tf.Variable(1.0)

    @tf.function
    def moved(n):
        for _ in tf.range(n):
            w = w - 0.1  # noqa: F823
        return w

    return moved(tf.constant(3))


def optimizer_with_a_list_in_a_list():
    w = tf.Variable(3.0)
    keras.optimizers.SGD(0.1).apply([tf.constant(1.0)], [[w]])


def optimizer_with_pairs():
    w = tf.Variable(3.0)
    keras.optimizers.SGD(0.1).apply(zip([tf.constant(1.0)], [w], strict=True))


def older_method_with_two_lists():
    w = tf.Variable(3.0)
    keras.optimizers.SGD(0.1).apply_gradients([tf.constant(1.0)], [w])


def older_method_without_pairs():
    w, b = tf.Variable(3.0), tf.Variable(1.0)
    keras.optimizers.SGD(0.1).apply_gradients([tf.constant([1.0] * 3), tf.constant([1.0] * 3)])
    return w, b


def optimizer_of_other_variables():
    optimizer, first, other = keras.optimizers.SGD(), *(keras.Variable(1.0) for _ in range(2))
    for variable in (first, other):
        optimizer.apply([tf.constant(1.0)], [variable])


def minimize():
    w = tf.Variable(3.0)
    keras.optimizers.SGD(0.1).minimize(lambda: w**2, [w])


def number_in_a_graph(read):
    return tf.function(lambda x: tf.constant(read(x)))(tf.constant([1.0, 2.0]))


def condition_of_many_entries():
    x = tf.constant([1.0, -2.0])
    return x if x.numpy() > 0 else -x


def list_of_gradients_times_a_rate():
    w = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = w**2
    return tape.gradient(y, [w]) * 0.1


def watch_before_the_block():
    w, tape = tf.Variable(3.0), tf.GradientTape()
    tape.watch(w)
    with tape:
        y = w**2
    return tape.gradient(y, w)


def unpacked_function():
    gradient, again = asked_twice
    return gradient, again


def tape_without_parentheses():
    with tf.GradientTape as tape:
        return tape


def custom_gradient_with_one_too_many():
    @tf.custom_gradient
    def clipped(x):
        return tf.identity(x), lambda upstream: (upstream, upstream)

    return gradient_of(clipped)


def variable_in_a_graph():
    @tf.function
    def made():
        return tf.Variable(1.0) + 1.0

    return made()


@tf.function
def sum_that_starts_at_a_whole_number():
    total = 0
    for x in tf.data.Dataset.from_tensor_slices([1.0, 2.0]):
        total = tf.convert_to_tensor(total) + x
    return total


def sum_in_a_variable():
    @tf.function
    def total_of(total, x):
        total += x
        return total

    return total_of(tf.Variable(0.0), tf.constant(1.0))


def gradients_of_exchanged():
    """Return what a tape gives that is asked for the gradient of the variables."""
    model = keras_model()
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(model(tf.ones((2, 1))) ** 2)
    return model, tape.gradient(model.trainable_variables, loss)


def target_and_sources_exchanged():
    _, (of_kernel, of_bias) = gradients_of_exchanged()
    return of_kernel, of_bias


def optimizer_of_exchanged():
    model, gradients = gradients_of_exchanged()
    keras.optimizers.SGD().apply(gradients, model.trainable_variables)


def optimizer_with_a_layer():
    model = keras_model()
    gradients = [tf.zeros_like(v) for v in model.trainable_variables]
    keras.optimizers.SGD().apply(gradients, model.layers[0])


def entry_set_by_a_condition():
    cost = tf.constant([1.0, 2.0])
    cost[cost > 1] *= 3


def entry_set_by_its_place():
    cost = tf.constant([1.0, 2.0])
    cost[0] = 3.0


def output_with_what_is_kept():
    model = keras_model()
    kept = model.trainable_variables, model.non_trainable_variables
    return tf.square(model.stateless_call(*kept, tf.ones((2, 1))))


def no_variable_any_more():
    w = tf.Variable(3.0)
    w = w - 0.1
    w.assign_sub(0.1)


def shapes_that_meet_in_a_graph():
    @tf.function
    def total(x, n):
        added = 0.0
        for _ in tf.range(2):
            added += tf.reduce_sum(x + tf.cast(tf.range(n), tf.float32))
        return added

    return total(VECTOR, tf.constant(5))


COLUMN, SQUARE, VECTOR = tf.ones((3, 1)), tf.ones((3, 3)), tf.ones(3)
IMAGE = tf.ones((1, 2, 2, 3))
LOSSES = keras.losses

# What a learner writes, and a part of what the check says then.
ERRORS = [
    (lambda: tf.add_n([]), "Use sum(model.losses), which is then 0"),
    (lambda: tf.function(lambda: tf.ones(()) + None)(), "there is a None where a tensor is needed"),
    (name_of_a_cell_that_did_not_run, "Run the notebook's first code cell, which imports it"),
    (second_derivative_without_a_path, "its tape found no path"),
    (lambda: gradient_with_respect_to([None]), "the target or the source is None"),
    (lambda: gradient_of(lambda w: np.square(w.numpy())), "the source is a NumPy array"),
    (lambda: gradient_with_respect_to(np.ones(3)), "the source is a NumPy array"),
    # What TensorFlow says depends on the number: whole ones such as 9 stand for dtypes.
    (lambda: gradient_of(lambda w: float(w) ** 2), "the source is a plain number"),
    (lambda: gradient_of(lambda w: float(w) / 2), "the source is a plain number"),
    (lambda: gradient_of(lambda w: bool(w)), "the source is a plain number"),
    (lambda: gradient_with_respect_to(3.0), "Make a tf.Variable from a source"),
    (lambda: gradient_with_respect_to(["w", "b"]), "such as a string or a function"),
    (lambda: gradient_with_respect_to(keras.layers.Dense(2)), "the source is a Dense"),
    (optimizer_the_wrong_way_round_in_a_graph, "It takes the gradients first"),
    (lambda: asked_twice.gradient, "a function has no attribute gradient"),
    (lambda: tf.gather(COLUMN, [5]), "the index 5 is out of range for an axis with 3 entries"),
    (lambda: COLUMN.backward(), "backward is from PyTorch, not TensorFlow. Call tape.gradient"),
    (lambda: tf.Variable(1.0).grad, "Use what tape.gradient returns"),
    (lambda: keras_model().train(), "in each call instead: model(x, training=True)"),
    (lambda: keras.optimizers.SGD().zero_grad(), "tapes do not accumulate gradients"),
    (variable_made_a_local_name, "w is read before it has a value"),
    (variable_made_a_local_name_in_a_loop, "call its assign_sub or assign_add"),
    (optimizer_with_a_list_in_a_list, "the optimizer got a list in place of a variable"),
    (sum_of_gradients_without_a_path, "there is a None where a tensor is needed"),
    (tensor_times_none, "there is a None where a tensor is needed"),
    (lambda: gradient_of(lambda w: tf.constant(1.0)).numpy(), "there is a None where"),
    (asked_twice, "Ask for all sources in one call"),
    (zeros_for_a_keras_variable, "[v.value for v in variables]"),
    (watch_before_the_block, "Call it inside the `with` block"),
    (lambda: gradient_of(lambda w: tf.constant(1.0))[0], "a gradient whose tape found no path"),
    (lambda: list(gradient_of(lambda w: tf.constant(1.0))), "a gradient whose tape found no path"),
    (target_and_sources_exchanged, "Pass the target first, and then the list of sources"),
    (lambda: optimizer_of_exchanged(), "Pass the target first, and then the list of sources"),
    (lambda: {}.update({})["rate"], "such as update, append or sort"),
    (lambda: {}.update({}).items(), "such as update, append or sort"),
    (lambda: dict(**{}.update({})), "such as update, append or sort"),
    (lambda: [n for n in [2, 1].sort()], "such as update, append or sort"),
    (optimizer_with_a_layer, "To an optimizer, pass the layer's trainable_variables"),
    (entry_set_by_a_condition, "tf.where(condition, a, b)"),
    (entry_set_by_its_place, "tf.where(condition, a, b)"),
    (lambda: len(tf.constant(2.0)), "has no length"),
    (lambda: len(tf.Variable(2.0)), "has no length"),
    (lambda: len(2.0), "has no length"),
    (output_with_what_is_kept, "model.stateless_call returns two things"),
    (
        lambda: LOSSES.sparse_categorical_crossentropy(tf.constant([0, 1]), SQUARE),
        "the labels have shape (2,), and the logits (3, 3)",
    ),
    (
        lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0, 1], logits=SQUARE),
        "the labels have shape (2,), and the logits (3, 3)",
    ),
    (lambda: LOSSES.sparse_categorical_crossentropy(SQUARE, VECTOR), "in this order"),
    (lambda: tf.GradientTape().gradients(COLUMN, COLUMN), "one of its methods: watch, gradient"),
    (lambda: tf.GradientTape().variables(), "reset or watched_variables"),
    (lambda: len(tf.GradientTape().watched_variables), "Call it, with parentheses"),
    (unpacked_function, "Call it, with parentheses"),
    (tape_without_parentheses, "Make a tape with parentheses: tf.GradientTape()"),
    (custom_gradient_with_one_too_many, "returned 2 gradients, but it must return 1"),
    (custom_gradient_that_forgets_the_value, "the value and the backward function"),
    (custom_gradient_the_wrong_way_round, "must return the value first"),
    (custom_gradient_of_three_things, "the value and the backward function"),
    (optimizer_without_gradients, "every gradient is None"),
    (optimizer_the_wrong_way_round, "the gradients first, and then the variables"),
    (optimizer_with_pairs, "apply takes two lists"),
    (older_method_with_two_lists, "apply takes two lists"),
    (older_method_without_pairs, "apply_gradients takes pairs"),
    (lambda: keras.metrics.Mean().reset_states(), "Use reset_state()"),
    (minimize, "no longer have minimize"),
    (list_filled_in_a_graph, "Start a sum before the loop"),
    (lambda: list_filled_in_a_graph(tf.add_n), "Start a sum before the loop"),
    (sum_that_starts_at_none, "total needs a value before the loop"),
    (sum_that_starts_nowhere, "total needs a value before the loop"),
    (sum_that_starts_at_a_whole_number, "Start a sum at 0.0"),
    (lambda: tf.math.divide(VECTOR, tf.shape(VECTOR)[0]), "float32 and int32 are combined here"),
    (sum_in_a_variable, "total = total + part"),
    (variable_in_a_graph, "Create the variable outside"),
    (lambda: number_in_a_graph(lambda x: [part for part in x]), "use tf.unstack"),
    (
        lambda: tf.function(lambda x: 1.0 if x else 0.0, autograph=False)(tf.constant(1.0)),
        "to choose, use tf.where",
    ),
    (no_variable_any_more, "only a tf.Variable can be assigned to"),
    (optimizer_of_other_variables, "always pass each one the same variables"),
    (lambda: COLUMN.reshape(-1), "reshape is a method of NumPy arrays"),
    (lambda: tf.Variable(COLUMN).mean(), "Use tf.reduce_mean"),
    (lambda: COLUMN.tolist(), "it does not have the methods of a NumPy array"),
    (lambda: number_in_a_graph(lambda x: x.reshape(-1)), "methods of a NumPy array"),
    (lambda: tf.function(float, autograph=False)(tf.constant(1.0)), "inside a compiled function"),
    (lambda: number_in_a_graph(np.mean), "inside a compiled function"),
    (lambda: number_in_a_graph(lambda x: x.numpy()), "inside a compiled function"),
    (lambda: SQUARE[np.array([0, 2])], "use tf.gather"),
    (lambda: SQUARE[VECTOR > 0, 0], "tf.boolean_mask(x, condition, axis=1)"),
    (lambda: VECTOR[[True, False, True]], "x[tf.constant(condition)]"),
    (lambda: [1.0, 2.0, 3.0][VECTOR > 0], "use x[condition] or tf.gather on a tensor"),
    (lambda: range(VECTOR), "one integer is needed here"),
    (condition_of_many_entries, "entry by entry, use tf.where"),
    (list_of_gradients_times_a_rate, "returns several gradients as a list"),
    (lambda: tf.stack([COLUMN, SQUARE]), "join the results with tf.concat"),
    (lambda: tf.stack([VECTOR, SQUARE]), "join the results with tf.concat"),
    (lambda: tf.concat([VECTOR, SQUARE], 0), "join the results with tf.concat"),
    (lambda: SQUARE @ VECTOR, "use tf.linalg.matvec"),
    (lambda: np.ones((2, 3)) @ np.ones((2, 3)), "here b has 2 rows and a has 3 columns"),
    (
        lambda: tf.reduce_sum(VECTOR, axis=1),
        "axis 1 does not exist: the number of axes of this tensor is 1",
    ),
    (lambda: tf.function(lambda a, b: a @ b)(SQUARE, VECTOR), "use tf.linalg.matvec"),
    (lambda: COLUMN * tf.ones((3, 1), tf.float64), "float and double are combined here"),
    (lambda: COLUMN ^ 2, "^ for a power (write **)"),
    (lambda: COLUMN > 0 & COLUMN < 1, "(x > 0) & (x < 1)"),
    (lambda: round(COLUMN), "Use tf.round"),
    (
        lambda: LOSSES.sparse_categorical_crossentropy(SQUARE, SQUARE),
        "takes one integer label for each example",
    ),
    (
        lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=SQUARE, logits=SQUARE),
        "takes one integer label for each example",
    ),
    (
        lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0, 5, 1], logits=SQUARE),
        "a label is 5, but it must be in [0, 3)",
    ),
    (
        lambda: tf.nn.softmax_cross_entropy_with_logits(labels=[0, 1], logits=SQUARE),
        "use the sparse version of the loss",
    ),
    (lambda: LOSSES.categorical_crossentropy(VECTOR, SQUARE), "use the sparse version"),
    (lambda: gradient_of(lambda w: tf.image.adjust_hue(w * IMAGE, 0.1)), "has no gradient, bec"),
    (lambda: tf.Variable(SQUARE).assign_sub(COLUMN), "the variable has shape [3,3]"),
    (lambda: tf.Variable(SQUARE).assign(COLUMN), "the variable has shape (3, 3), but the"),
    (lambda: tf.GradientTape().watch(keras.Variable(1.0)), "pass v.value"),
    (lambda: tf.ones((6, 3)) * tf.ones((3, 4)), "(6, 3) and (3, 4) do not match: `*`"),
    (
        lambda: tf.function(lambda a: a * tf.ones((3, 4)))(tf.ones((6, 3))),
        "product, use `@`",
    ),
    (lambda: tf.ones((6, 3)) - tf.ones((6,)), "keep it with keepdims=True"),
    (lambda: tf.ones((6, 3)) @ tf.ones((4, 3)), "Transpose one of them"),
    (lambda: tf.function(lambda a: a @ tf.ones((4, 3)))(tf.ones((6, 3))), "Transpose one of them"),
    (lambda: tf.ones((6, 3)) @ tf.ones((4, 5)), "as many columns as b has rows"),
    (lambda: tf.ones((6, 3)) - tf.ones((3, 6)), "Check whether one of them is transposed"),
    (lambda: tf.ones((6, 3)) - tf.ones((4, 2)), "Print both"),
    (lambda: np.ones(3) + np.ones(2), "(3,) and (2,) do not match"),
    (shapes_that_meet_in_a_graph, "(5,) and (3,) do not match"),
    (lambda: tf.add_n([tf.ones(3), tf.ones(4)]), "(3,) and (4,) do not match"),
]


def error_of(mistake):
    (call,) = observe_calls(mistake, [()])["calls"]
    return call["raised"]


@pytest.mark.parametrize("mistake, words", ERRORS)
def test_an_error_is_put_in_words(mistake, words):
    error = error_of(mistake)
    assert words in str(cause_in_words(error)), error


def test_every_cause_and_every_way_to_say_it_is_met():
    """So that none stays when TensorFlow has changed what it says."""
    messages = [error_of(mistake)["message"] for mistake, _ in ERRORS]
    for pattern, words in errors_in_words._CAUSES:
        for alternative in re.split(r"\|(?![^(]*\))", pattern):
            assert any(re.search(alternative, message) for message in messages), words


def test_what_is_not_known_is_left_as_it_is():
    def unpack():
        value, gradient = (1, 2, 3)
        return value, gradient

    assert cause_in_words(error_of(lambda: {}["loss"])) is None
    assert cause_in_words(error_of(unpack)) is None


def test_what_is_advised_of_conditions_in_brackets_runs():
    x = tf.constant([1.0, -2.0, 3.0])
    condition = [True, False, True]
    for entries in (x[x > 0], tf.Variable(x)[x > 0], x[tf.constant(condition)]):
        assert entries.numpy().tolist() == [1.0, 3.0]
    assert tf.boolean_mask(SQUARE, condition, axis=1).shape == (3, 2)


def test_every_method_of_a_tape_that_is_named_is_there_and_none_is_left_out():
    error = {"message": "'GradientTape' object has no attribute 'x'", "line": ""}
    named = set(re.findall(r"\w+", cause_in_words(error).partition(": ")[2])) - {"or"}
    assert named == {name for name in vars(tf.GradientTape) if not name.startswith("_")}
