"""A None is explained by what ran: no line is named that did not run, whatever the text says."""

import inspect
import linecache

import keras
import numpy as np
import pytest
import tensorflow as tf

from gradient_tools import ExplainingTape, explain_gradients


def explained(program, folder, number=-1):
    """Run a script with explaining tapes; return the explanations of one of them."""
    tapes = []

    class Tape(ExplainingTape):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            tapes.append(self)

    path = folder / "script.py"
    path.write_text(inspect.cleandoc(program))
    linecache.checkcache(str(path))
    names = {"tf": tf, "np": np, "keras": keras, "Tape": Tape, "__name__": "__main__"}
    exec(compile(path.read_text(), str(path), "exec"), names)
    return tapes[number].explanations


def found(program, folder, number=-1):
    """Return the cause, the text of the line, and the message of the one explanation."""
    (explanation,) = explained(program, folder, number)
    where = explanation.where
    return explanation.cause, where.text if where else "", explanation.message


# Which lines ran.

SCRIPT_WITH_REUSED_NAMES = """
    rate = tf.Variable(2)
    with Tape() as tape:
        cost = rate * rate
    tape.gradient(cost, rate)

    rate = tf.Variable(0.5)
    cost = rate**2
    with Tape() as tape:
        total = 3.0 * cost
    tape.gradient(total, rate)

    with Tape() as tape:
        cost = tf.constant(4.0)
    tape.gradient(cost, rate)

    cost = rate + 1.0
    rate = tf.Variable(7.0)
    """


@pytest.mark.parametrize(
    ("number", "cause", "line"),
    [
        (0, "integer-dtype", "rate = tf.Variable(2)"),
        (1, "outside-tape", "cost = rate**2"),
        (2, "constant-target", "cost = tf.constant(4.0)"),
    ],
)
def test_in_a_script_that_reuses_names_the_lines_that_ran_are_named(number, cause, line, tmp_path):
    assert found(SCRIPT_WITH_REUSED_NAMES, tmp_path, number)[:2] == (cause, line)


def test_below_the_call_in_a_loop_no_line_has_run_in_the_first_pass(tmp_path):
    program = """
    count = tf.Variable([1, 2])
    for _ in range(2):
        with Tape() as tape:
            y = tf.reduce_sum(count * count)
        gradient = tape.gradient(y, count)
        count = tf.Variable([1.0, 2.0])
    """
    (first,) = explained(program, tmp_path, 0)
    assert first.where.text == "count = tf.Variable([1, 2])"
    assert first.remedy == "count = tf.Variable([1.0, 2.0])"
    assert not explained(program, tmp_path, 1)


def test_a_branch_that_was_not_taken_did_not_make_the_source(tmp_path):
    program = """
    if tf.executing_eagerly():
        n = tf.Variable(3)
        with Tape() as tape:
            y = n * n
        tape.gradient(y, n)
    else:
        n = tf.Variable(5)
    """
    assert found(program, tmp_path)[:2] == ("integer-dtype", "n = tf.Variable(3)")


def test_a_helper_above_the_block_does_not_make_a_line_late(tmp_path):
    program = """
    def wave(phase):
        return tf.cos(phase) ** 2

    angle = tf.Variable(0.3)
    doubled = 2.0 * angle
    with Tape() as tape:
        y = wave(doubled)
    tape.gradient(y, angle)
    """
    cause, line, message = found(program, tmp_path)
    assert (cause, line) == ("outside-tape", "doubled = 2.0 * angle")
    assert message.startswith("This line ran before `tape` began to record")


def test_did_not_run_is_said_of_a_line_that_did_not(tmp_path):
    program = """
    a, b = tf.Variable(1.0), tf.Variable(2.0)
    with Tape() as tape:
        y = 3.0 * a
        if y > 100.0:
            y = y + b
    tape.gradient(y, b)
    """
    cause, line, message = found(program, tmp_path)
    assert (cause, line) == ("unconnected", "y = y + b")
    assert "This line did not run" in message and "Perhaps" not in message


def test_did_not_run_is_not_said_of_a_line_that_ran(tmp_path):
    program = """
    a, b = tf.Variable(1.0), tf.Variable(2.0)
    with Tape() as tape:
        y = 3.0 * a
        for part in [b, 2.0 * b]:
            y = y + float(part)
    tape.gradient(y, b)
    """
    cause, line, _ = found(program, tmp_path)
    assert (cause, line) == ("left-tensorflow", "y = y + float(part)")


# Where tensors became plain numbers.


def test_a_helper_in_another_module(tmp_path):
    helper = tmp_path / "helper_of_losses.py"
    helper.write_text(
        "import numpy as np\n\n\ndef flattened(t):\n    return np.reshape(t, -1).tolist()\n"
    )
    program = f"""
    import importlib.util
    place = importlib.util.spec_from_file_location("helper_of_losses", {str(helper)!r})
    helper = importlib.util.module_from_spec(place)
    place.loader.exec_module(helper)

    w = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with Tape() as tape:
        y = tf.reduce_sum(helper.flattened(w * 3.0))
    tape.gradient(y, w)
    """
    (explanation,) = explained(program, tmp_path)
    assert explanation.cause == "left-tensorflow" and explanation.where.line == 5
    assert explanation.where.file == str(helper)
    assert explanation.message.startswith("`np.reshape(t, -1)` turned")


CONVERSIONS = {
    "method": """
        class Scale:
            def times(self, t):
                return int(t) * 2.0  # <-
        scale, w = Scale(), tf.Variable(3.5)
        with Tape() as tape:
            y = tf.constant(scale.times(w**2))
        tape.gradient(y, w)
        """,
    "comprehension": """
        w = tf.Variable(3.0)
        with Tape() as tape:
            parts = [w * k for k in range(3)]
            y = tf.add_n([tf.constant(p.numpy()) for p in parts])  # <-
        tape.gradient(y, w)
        """,
    "kept in a list": """
        w, history = tf.Variable([1.0, 5.0]), []
        def remember(t):
            history.append(np.array(t))  # <-
        with Tape() as tape:
            remember(tf.exp(w))
            y = tf.reduce_sum(history[0])
        tape.gradient(y, w)
        """,
    "lambda": """
        clip = lambda t: np.clip(t, 0.0, 1.0)  # <-
        w = tf.Variable([0.2, 2.0])
        with Tape() as tape:
            y = tf.reduce_sum(clip(2.0 * w))
        tape.gradient(y, w)
        """,
    "nested tapes": """
        w = tf.Variable([0.2, 2.0])
        with Tape() as outer:
            with tf.GradientTape() as inner:
                inner_loss = tf.reduce_sum(w**3)
            slope = inner.gradient(inner_loss, w)
            y = tf.reduce_sum(np.abs(slope))  # <-
        outer.gradient(y, w)
        """,
    "after an exception in another block": """
        w = tf.Variable([0.2, 2.0])
        try:
            with Tape() as tape:
                raise ValueError(w.numpy())
        except ValueError:
            pass
        with Tape() as tape:
            y = tf.reduce_sum(tf.constant((2.0 * w).numpy()))  # <-
        tape.gradient(y, w)
        """,
}


@pytest.mark.parametrize("kind", CONVERSIONS)
def test_the_line_that_converted_is_named(kind, tmp_path):
    cause, line, message = found(CONVERSIONS[kind], tmp_path)
    assert cause == "left-tensorflow" and line.endswith("# <-"), (line, message)
    assert "turned a tensor into plain numbers" in message and "Perhaps" not in message


def test_a_line_of_another_block_is_not_blamed(tmp_path):
    program = """
    class Meter:
        def update(self, t):
            self.value = t.numpy()

    meter, w = Meter(), tf.Variable([1.0, 2.0])

    def scaled(t):
        return tf.stop_gradient(t) * 2.0

    with Tape() as tape:
        meter.update(w * 1.0)
        y = tf.reduce_sum(w)
    tape.gradient(y, w)
    with Tape() as tape:
        y = tf.reduce_sum(scaled(w))
    tape.gradient(y, w)
    """
    cause, line, _ = found(program, tmp_path)
    assert (cause, line) == ("gradient-stopped", "return tf.stop_gradient(t) * 2.0")


def test_a_number_that_was_only_printed_is_no_cause(tmp_path, capsys):
    program = """
    a, b = tf.Variable([1.0, 2.0]), tf.Variable([3.0, 4.0])
    with Tape() as tape:
        hidden = a * 2.0
        print(hidden.numpy())
        loss = tf.reduce_sum(b**2)
    tape.gradient(loss, a)
    """
    cause, line, message = found(program, tmp_path)
    assert (cause, line) == ("unconnected", "hidden = a * 2.0")
    assert message.startswith("`a` was used, but `loss` was not computed from the result")


def test_only_the_text_is_a_perhaps(tmp_path):
    program = """
    w = tf.Variable(2.0)
    with Tape() as tape:
        y = w * 3.0
    loss = tf.constant(float(y)) * 2.0
    tape.gradient(loss, w)
    """
    cause, line, message = found(program, tmp_path)
    assert (cause, line) == ("left-tensorflow", "loss = tf.constant(float(y)) * 2.0")
    assert message.startswith("Perhaps `float(y)` turned")


# Tensors that objects keep.


@pytest.mark.parametrize("base", ["", "(keras.layers.Layer)", "(tf.Module)"])
def test_a_tensor_kept_since_init_is_named_with_the_line_that_uses_it(base, tmp_path):
    program = f"""
    class Rotation{base}:
        def __init__(self):
            super().__init__()
            self.angle = tf.Variable(0.5)
            cos, sin = tf.cos(self.angle), tf.sin(self.angle)
            self.matrix = tf.stack([[cos, -sin], [sin, cos]])

        def __call__(self, x):
            return x @ self.matrix

    turn = Rotation()
    with Tape() as tape:
        y = tf.reduce_sum(turn(tf.ones((3, 2))))
    tape.gradient(y, turn.angle)
    """
    cause, line, message = found(program, tmp_path)
    assert (cause, line) == ("outside-tape", "return x @ self.matrix")
    assert "`self.matrix`, a tensor that was made from `turn.angle` before the block" in message


def test_a_tensor_kept_in_an_object_that_was_not_made_from_the_source_is_not_blamed(tmp_path):
    program = """
    class Table:
        def __init__(self):
            self.w = tf.Variable([1.0, 2.0])
            self.data = tf.constant([3.0, 4.0])

    table = Table()
    with Tape() as tape:
        y = tf.reduce_sum(table.data * 2.0)
    tape.gradient(y, table.w)
    """
    cause, _, message = found(program, tmp_path)
    assert cause in ("constant-target", "unconnected") and "self.data" not in message


def test_what_was_not_looked_at_is_not_ruled_out(tmp_path):
    program = """
    def hidden_copy():
        return (lambda: globals()["w"] * 1.5)()

    w, b = tf.Variable([1.0, 2.0]), tf.Variable(1.0)
    box = [hidden_copy()]
    with Tape() as tape:
        y = tf.reduce_sum(box.pop() * b)
    tape.gradient(y, w)
    """
    cause, _, message = found(program, tmp_path)
    assert cause == "unconnected" and "code outside the block" not in message


# Variables of another model.


@pytest.mark.parametrize("how", ["clone_model", "a target network", "a list of the old model's"])
def test_the_variables_of_another_model_are_told_apart(how, tmp_path):
    make = """
    def make():
        keras.utils.clear_session()
        return keras.Sequential([keras.Input((2,)), keras.layers.Dense(3), keras.layers.Dense(1)])
    policy = make()
    """
    before, asked, owner = {
        "clone_model": ("old = keras.models.clone_model(policy)", "old.trainable_weights", "old"),
        "a target network": ("target = make()", "target.trainable_variables", "target"),
        "a list of the old model's": (
            "weights = policy.trainable_variables\npolicy = make()",
            "weights",
            "weights",
        ),
    }[how]
    program = f"""{inspect.cleandoc(make)}
{before}
with Tape() as tape:
    q = tf.reduce_mean(policy(tf.ones((4, 2))))
tape.gradient(q, {asked})
"""
    explanations = explained(program, tmp_path)
    assert len(explanations) == 4
    for each in explanations:
        assert each.cause == "unconnected", each
        assert "was computed with `policy`" in each.message and f"`{owner}`" in each.message
        assert each.remedy.startswith("tape.gradient(q, policy.")


def test_a_variable_made_anew_after_the_block_is_told_from_the_one_used(tmp_path):
    program = """
    w = tf.Variable(2.0)
    with Tape() as tape:
        y = w**2
    w = tf.Variable(3.0)
    tape.gradient(y, w)
    w = tf.Variable(4.0)
    """
    assert found(program, tmp_path)[:2] == ("rebound-source", "w = tf.Variable(3.0)")


# What to write instead.


@pytest.mark.parametrize(
    ("line", "remedy"),
    [
        ("y = tf.round(w)", "y = w + tf.stop_gradient(tf.round(w) - w)"),
        ("y = 2.0 * tf.floor(w * 3.0)", "value = w * 3.0\ny = 2.0 * (value + tf.stop_gradient("),
        ("y = tf.where(w < 1.0, 1.0, 0.0)", "tf.sigmoid(10.0 * (1.0 - w))"),
        ("y = tf.constant(np.asarray(w) * 2.0)", "y = w * 2.0"),
        ("y = tf.constant(w.numpy())", "y = w"),
    ],
)
def test_a_remedy_has_the_names_of_the_program(line, remedy, tmp_path):
    program = f"""
    w = tf.Variable([0.4, 1.6])
    with Tape() as tape:
        {line}
    tape.gradient(y, w)
    """
    (explanation,) = explained(program, tmp_path)
    assert explanation.remedy.startswith(remedy), explanation.remedy


@pytest.mark.parametrize(
    ("made", "remedy"),
    [
        ("tf.Variable(4)", "n = tf.Variable(4.0)"),
        ("tf.Variable([1, 2], name='n')", "n = tf.Variable([1.0, 2.0], name='n')"),
        ("tf.Variable(4, dtype=tf.int64)", "n = tf.Variable(4, dtype=tf.float32)"),
        ("tf.Variable(np.arange(3))", "n = tf.Variable(np.arange(3), dtype=tf.float32)"),
    ],
)
def test_an_integer_source_is_made_of_floats(made, remedy, tmp_path):
    program = f"""
    n = {made}
    with Tape() as tape:
        y = tf.reduce_sum(n * n)
    tape.gradient(y, n)
    """
    (explanation,) = explained(program, tmp_path)
    assert explanation.remedy == remedy


def test_what_a_function_returns_may_leave_tensorflow():
    heights = tf.Variable([1.0, 2.0])

    def mean_of_squares():
        return tf.constant(np.mean((3.0 * heights) ** 2))

    for function in (mean_of_squares, lambda: tf.constant(float(heights[0]) ** 2)):
        assert explain_gradients(function, heights)[0].cause == "left-tensorflow"
