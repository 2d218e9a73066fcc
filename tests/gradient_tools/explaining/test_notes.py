"""Notes on gradients that are there: at an old value, or of another tensor than the name tells."""

import gc
import inspect
import weakref

import keras
import numpy as np
import pytest
import tensorflow as tf

from gradient_tools import ExplainingTape, explain_gradients


def notes_of(function):
    """Run a program and return the notes of all its tapes, and the number of its first line."""
    tapes = []

    class Kept(ExplainingTape):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            tapes.append(self)

    function(Kept)
    return [note for tape in tapes for note in tape.explain().notes]


def marked(function):
    lines, first = inspect.getsourcelines(function)
    return first + next(n for n, line in enumerate(lines) if line.rstrip().endswith("# <-"))


# A variable that was changed between the forward pass and the call of gradient.


def momentum_step_too_early(Tape):
    theta = tf.Variable([1.0, 2.0])
    with Tape() as tape:
        energy = tf.reduce_sum(theta**3)
    theta.assign_sub([0.5, 0.5])  # <-
    return tape.gradient(energy, theta)


def optimizer_before_gradient(Tape):
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    optimizer = keras.optimizers.SGD(0.1)
    optimizer.build(model.trainable_variables)
    with Tape() as tape:
        loss = tf.reduce_sum(model(tf.ones((3, 2))) ** 2)
    zeros = [tf.ones_like(each) for each in model.trainable_variables]
    optimizer.apply(zeros, model.trainable_variables)  # <-
    return tape.gradient(loss, model.trainable_variables)


def in_a_called_function(Tape):
    theta = tf.Variable(2.0)

    @tf.function
    def double():
        theta.assign(2.0 * theta)  # <-

    with Tape() as tape:
        energy = theta**2
    double()
    return tape.gradient(energy, theta)


def in_a_traced_step(Tape):
    theta = tf.Variable(2.0)

    @tf.function
    def step():
        with Tape() as tape:
            energy = theta**2
        theta.assign_add(1.0)  # <-
        return tape.gradient(energy, theta)

    return step()


def in_the_block(Tape):
    theta = tf.Variable([2.0, 3.0])
    with Tape() as tape:
        energy = tf.reduce_sum(theta**2)
        theta.assign_add([1.0, 1.0])  # <-
    return tape.gradient(energy, theta)


def rows_of_a_table(Tape):
    table = tf.Variable(tf.ones((4, 2)))
    with Tape() as tape:
        energy = tf.reduce_sum(tf.gather(table, [1, 2]) ** 2)
    table.scatter_nd_update([[1]], [[5.0, 5.0]])  # <-
    return tape.gradient(energy, table)


def read_by_the_operation_itself(Tape):
    theta = tf.Variable([2.0, 3.0])
    with Tape() as tape:
        energy = tf.nn.relu(theta)
    theta.assign([1.0, 1.0])  # <-
    return tape.gradient(energy, theta)


@pytest.mark.parametrize(
    ("function", "method"),
    [
        (momentum_step_too_early, "assign_sub"),
        (optimizer_before_gradient, "apply"),
        (in_a_called_function, "assign"),
        (in_a_traced_step, "assign_add"),
        (in_the_block, "assign_add"),
        (rows_of_a_table, "scatter_nd_update"),
        (read_by_the_operation_itself, "assign"),
    ],
    ids=lambda each: getattr(each, "__name__", each),
)
def test_a_change_after_the_forward_pass_is_noted_with_its_line(function, method):
    (note,) = notes_of(function)
    assert f"changed by `{method}` (line {marked(function)}) after" in note
    assert "at the old value" in note


def test_a_loop_that_asks_one_persistent_tape_again_gets_the_old_gradient():
    theta, found = tf.Variable(4.0), []
    with ExplainingTape(persistent=True) as tape:
        energy = theta**2
    for _ in range(2):
        gradient = tape.gradient(energy, theta)
        found.append((float(gradient), tape.explain().notes))
        theta.assign_sub(0.1 * gradient)
    assert found[0] == (8.0, ())
    (note,) = found[1][1]
    assert found[1][0] == 8.0 and note.startswith("`theta` was changed after it was recorded;")


def plain_training(Tape):
    model = keras.Sequential(
        [keras.Input((2,)), keras.layers.BatchNormalization(), keras.layers.Dense(1)]
    )
    optimizer = keras.optimizers.Adam(0.1)
    for _ in range(3):
        with Tape() as tape:
            loss = tf.reduce_sum(model(tf.constant([[1.0, 2.0], [0.0, 1.0]]), training=True) ** 2)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply(gradients, model.trainable_variables)


def traced_training(Tape):
    model = keras.Sequential(
        [keras.Input((2,)), keras.layers.BatchNormalization(), keras.layers.Dense(1)]
    )
    optimizer = keras.optimizers.Adam(0.1)
    optimizer.build(model.trainable_variables)

    @tf.function
    def step(x):
        with Tape() as tape:
            loss = tf.reduce_sum(model(x, training=True) ** 2)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply(gradients, model.trainable_variables)

    for _ in range(2):
        step(tf.constant([[1.0, 2.0], [0.0, 1.0]]))


def a_model_that_is_a_called_function(Tape):
    model = keras.Sequential(
        [keras.Input((2,)), keras.layers.BatchNormalization(), keras.layers.Dense(1)]
    )
    called = tf.function(lambda x: model(x, training=True))
    with Tape() as tape:
        loss = tf.reduce_sum(called(tf.constant([[1.0, 2.0], [0.0, 1.0]])) ** 2)
    tape.gradient(loss, model.trainable_variables)


def two_networks_in_turn(Tape):
    player, judge = tf.Variable(1.0), tf.Variable(2.0)
    with Tape(persistent=True) as tape:
        score = judge * player
    judge.assign_sub(tape.gradient(score, judge))
    tape.gradient(score, player)


def changed_and_restored(Tape):
    theta = tf.Variable(2.0)
    with Tape() as tape:
        energy = theta**2
    theta.assign_add(1.0)
    theta.assign_sub(1.0)
    tape.gradient(energy, theta)


def descent_inside_one_block(Tape):
    theta = tf.Variable(2.0)
    with Tape(persistent=True) as tape:
        for _ in range(3):
            energy = theta**2
            theta.assign_sub(0.1 * tape.gradient(energy, theta))


def perturbed_before_the_forward_pass(Tape):
    theta = tf.Variable(2.0)
    theta.assign_add(1.0)
    with Tape() as tape:
        energy = theta**2
    tape.gradient(energy, theta)


def a_variable_that_is_not_used(Tape):
    theta, other = tf.Variable(2.0), tf.Variable(3.0)
    with Tape() as tape:
        energy = theta**2
    other.assign_add(1.0)
    tape.gradient(energy, [theta, other])


def features_under_one_name(Tape):
    x = tf.constant([[1.0, 2.0]])
    for _ in range(2):
        h = x
        with Tape() as tape:
            h = tf.tanh(h)
            h = tf.exp(h)
            loss = tf.reduce_sum(h**2)
        tape.gradient(loss, h)


def watched_again(Tape):
    x = tf.constant([1.0, 2.0])
    with Tape() as tape:
        tape.watch(x)
        x = tf.sqrt(x)
        tape.watch(x)
        loss = tf.reduce_sum(x**3)
    tape.gradient(loss, x)


def another_meaning_of_a_name(Tape):
    w = tf.Variable(3.0)
    v = tf.Variable(2.0)
    with Tape() as tape:
        w = tf.square(v)
        loss = w * 2.0
    tape.gradient(loss, w)
    return w


def no_more_than_read(Tape):
    w = tf.Variable(3.0)
    with Tape() as tape:
        w = tf.identity(w)
        loss = w * 2.0
    tape.gradient(loss, w)


@pytest.mark.parametrize(
    "function",
    [
        plain_training,
        traced_training,
        a_model_that_is_a_called_function,
        two_networks_in_turn,
        changed_and_restored,
        descent_inside_one_block,
        perturbed_before_the_forward_pass,
        a_variable_that_is_not_used,
        features_under_one_name,
        watched_again,
        another_meaning_of_a_name,
        no_more_than_read,
    ],
    ids=lambda each: each.__name__,
)
def test_there_is_no_note_where_nothing_is_to_be_noted(function):
    assert notes_of(function) == []


# A name that was given to another tensor inside the block.


def softened(Tape):
    scale = tf.Variable([1.0, 4.0])
    with Tape() as tape:
        scale = tf.nn.softplus(scale)  # <-
        loss = tf.reduce_sum(scale**2)
    return tape.gradient(loss, scale)


def through_layers(Tape):
    x = tf.constant([[1.0, 2.0]])
    layers = [keras.layers.Dense(3), keras.layers.Dense(1)]
    with Tape() as tape:
        tape.watch(x)
        for layer in layers:
            x = layer(x)  # <-
        loss = tf.reduce_sum(x**2)
    return tape.gradient(loss, x)


def helper(a):
    return tf.exp(a) + 1.0


def by_a_helper(Tape, start=tf.Variable(1.0)):  # noqa: B008
    with Tape() as tape:
        start = helper(start)  # <-
        loss = start**2
    return tape.gradient(loss, start)


def in_a_dict(Tape):
    params = {"w": tf.Variable(2.0), "b": tf.Variable(1.0)}
    with Tape() as tape:
        params["w"] = tf.square(params["w"])  # <-
        loss = params["w"] + params["b"]
    return tape.gradient(loss, params)


def in_a_list(Tape):
    weights = [tf.Variable(2.0), tf.Variable(1.0)]
    with Tape() as tape:
        weights = [tf.square(each) for each in weights]  # <-
        loss = tf.add_n(weights)
    return tape.gradient(loss, weights)


def in_a_traced_function(Tape):
    w = tf.Variable(2.0)

    @tf.function
    def step(w):
        with Tape() as tape:
            w = tf.square(w)  # <-
            loss = w * 3.0
        return tape.gradient(loss, w)

    return step(w)


@pytest.mark.parametrize(
    ("function", "name", "what"),
    [
        (softened, "scale", "the variable"),
        (through_layers, "x", "the tensor that was watched"),
        (by_a_helper, "start", "the variable"),
        (in_a_dict, "params['w']", "the variable"),
        (in_a_list, "weights[0]", "the variable"),
        (in_a_traced_function, "w", "the variable"),
    ],
    ids=lambda each: getattr(each, "__name__", each),
)
def test_a_name_of_another_tensor_is_noted_with_its_line(function, name, what):
    note = notes_of(function)[0]
    assert note.startswith(f"`{name}` is now the result of line {marked(function)}, not {what}.")


# How notes are shown, and what observing leaves behind.


def test_a_note_is_shown_as_text_as_a_card_and_in_the_name_of_the_tape():
    theta = tf.Variable(2.0)
    with ExplainingTape() as tape:
        energy = theta**2
    theta.assign(1.0)
    tape.gradient(energy, theta)
    text = str(tape.explain())
    assert text.startswith(
        "Every gradient exists and is finite, and none is zero everywhere.\n\nNote: `"
    )
    assert "<code>theta</code> was changed by <code>assign</code>" in tape.explain()._repr_html_()
    assert repr(tape) == "<ExplainingTape: 1 note; print(tape.explain()) shows it>"


def test_without_a_note_the_answer_is_one_line():
    theta = tf.Variable(2.0)
    with ExplainingTape() as tape:
        energy = theta**2
    tape.gradient(energy, theta)
    assert str(tape.explain()).count("\n") == 0 and repr(tape).endswith("nothing to explain>")
    assert explain_gradients(lambda x: x**2, 3.0).notes == ()


def test_a_gradient_that_is_zero_or_nan_has_its_note_too():
    theta = tf.Variable(-4.0)
    with ExplainingTape() as tape:
        energy = tf.nn.relu(theta * 1.0)
    theta.assign(3.0)
    tape.gradient(energy, theta)
    (explanation,) = tape.explain()
    assert explanation.cause == "zero-saturated" and len(tape.explain().notes) == 1


def test_the_dictionary_of_a_function_is_left_to_the_program():
    theta = tf.Variable(2.0)
    kept = locals()
    with ExplainingTape() as tape:
        theta = tf.square(theta)
        energy = theta * 3.0
    tape.gradient(energy, theta)
    assert tape.explain().notes and "theta" in kept


def test_the_names_at_the_block_keep_nothing_alive():
    def run():
        theta = tf.Variable(2.0)
        big = tf.Variable(np.zeros(3))
        seen = weakref.ref(big)
        with ExplainingTape() as tape:
            theta = tf.square(theta)
            energy = theta * 3.0
        del big
        gc.collect()
        assert seen() is None
        return tape.gradient(energy, theta)

    run()
