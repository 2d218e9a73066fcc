"""The recording against closed forms, and against what the tape itself says."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from gradient_tools import record_tape
from gradient_tools.recording.labels import operation_label, value_text


def labels(recording):
    return [operation.label for operation in recording.operations]


def test_square_of_a_float():
    recording = record_tape(lambda x: x**2, 3.0)
    assert labels(recording) == ["x²"]
    x, y = recording["x"], recording["y"]
    assert (x.value, x.shape, x.dtype) == (3.0, (), "float32")
    assert x.gradient == pytest.approx(6.0)
    assert (y.value, y.gradient) == (pytest.approx(9.0), 1.0)
    assert recording.operations[0].inputs == recording.sources == (0,)
    assert recording.operations[0].outputs == recording.targets == (1,)


def test_gradient_arrives_at_every_value_of_a_diamond():
    recording = record_tape(lambda x: x * x + tf.sin(x), 2.0)
    assert labels(recording) == ["x × x", "sin", "add"]
    by_label = {op.label: recording.values[op.outputs[0]] for op in recording.operations}
    assert by_label["x × x"].gradient == by_label["sin"].gradient == 1.0
    np.testing.assert_allclose(recording["x"].gradient, 2 * 2.0 + np.cos(2.0), rtol=1e-5)
    assert all(all(op.passes_gradient) for op in recording.operations)


def test_linear_model_matches_its_closed_form():
    random = np.random.RandomState(0)
    x, y = random.normal(size=(5, 3)), random.normal(size=(5, 1))
    w, b = tf.Variable(random.normal(size=(3, 1)), name="W"), tf.Variable(0.5, dtype="float64")
    recording = record_tape(lambda x, y: tf.reduce_mean((x @ w + b - y) ** 2), x, y)
    residual = x @ w.numpy() + 0.5 - y
    np.testing.assert_allclose(recording["W"].gradient, 2 / 5 * x.T @ residual, rtol=1e-9)
    np.testing.assert_allclose(recording["b"].gradient, 2 * residual.mean(), rtol=1e-9)
    np.testing.assert_allclose(recording["z"].value, np.mean(residual**2), rtol=1e-9)
    assert labels(recording) == ["matmul", "add", "subtract", "square", "mean"]
    assert {recording.values[i].name for i in recording.weights} == {"W", "b"}


@pytest.mark.parametrize(
    "block", [tf.round, tf.floor, tf.stop_gradient, lambda x: tf.cast(tf.cast(x, "int32"), x.dtype)]
)
def test_an_operation_that_blocks_passes_nothing_but_the_other_way_is_open(block):
    recording = record_tape(lambda x: block(x) + x, 2.3)
    assert recording["x"].gradient == pytest.approx(1.0)
    *blocking, add = recording.operations
    assert not any(any(operation.passes_gradient) for operation in blocking)
    from_x = add.passes_gradient[add.inputs.index(0)]
    assert from_x


def test_sign_passes_a_gradient_of_zero():
    recording = record_tape(tf.sign, 2.0)
    assert recording["x"].gradient == pytest.approx(0.0)
    assert recording.operations[0].passes_gradient == (True,)


def test_an_input_with_a_gradient_that_comes_another_way_is_passed_none():
    # TensorFlow has no derivative of betainc for its first input.
    recording = record_tape(lambda a: tf.math.betainc(a, 0.5, tf.sigmoid(a)), 0.3)
    assert recording["a"].gradient is not None
    assert recording.operations[-1].passes_gradient == (False, True)


def test_a_concrete_function_passes_gradient_to_what_it_differentiates():
    f = tf.function(lambda a, b: tf.sin(a) * tf.stop_gradient(b))
    concrete = f.get_concrete_function(tf.TensorSpec([]), tf.TensorSpec([]))
    recording = record_tape(lambda a, b: concrete(a, b) + a * b, 2.0, 3.0)
    assert recording.operations[0].passes_gradient == (True, False)
    slope, nothing = recording.operations[0].passed_on
    assert slope == pytest.approx(3.0 * np.cos(2.0)) and nothing is None


def test_a_condition_is_recorded_and_has_no_gradient():
    def f(x, w):
        while x < 10.0:
            x = x * w
        return x

    recording = record_tape(f, 2.0, 3.0)  # 2 w²
    assert labels(recording) == ["x < 10", "multiply", "< 10", "multiply", "< 10"]
    assert recording["w"].gradient == pytest.approx(2 * 2 * 3.0)
    assert recording.values[recording.operations[0].outputs[0]].gradient is None


def test_unused_source_and_source_that_left_the_tape():
    recording = record_tape(lambda x, other, gone: x * np.sin(gone.numpy()), 2.0, 1.0, 0.5)
    assert recording["other"].gradient is recording["gone"].gradient is None
    np.testing.assert_allclose(recording["x"].gradient, np.sin(0.5), rtol=1e-6)
    assert recording.operations[0].inputs == (0,)


def test_target_without_any_gradient():
    recording = record_tape(lambda x: tf.argmax(x), np.array([1.0, 3.0]))
    assert recording["x"].gradient is None and recording["y"].gradient is None
    assert recording["y"].value == 1


def test_a_function_without_arguments_finds_its_variables():
    x, frozen = tf.Variable(3.0), tf.Variable(2.0, trainable=False)
    recording = record_tape(lambda: x**2 * frozen)
    assert recording["x"].gradient == pytest.approx(12.0)
    assert recording["frozen"].gradient is None
    assert recording.operations[-1].passes_gradient == (True, False)


@pytest.mark.parametrize("swapped", [False, True])
def test_a_variable_that_tensorflow_reads_silently_is_recognised(swapped):
    # As second operand a variable is read in C++, and no callback hears of it.
    v, w = tf.Variable(2.0), tf.Variable(5.0)
    recording = record_tape(lambda: w * v if swapped else v * w)
    assert labels(recording) == ["multiply"]
    assert recording.operations[0].passes_gradient == (True, True)
    assert (recording["v"].gradient, recording["w"].gradient) == (5.0, 2.0)


def test_keras_variable_as_input_and_in_a_closure():
    given, closed = keras.Variable(3.0, name="given"), keras.Variable(4.0)
    recording = record_tape(lambda v: v * closed, given)
    assert (recording["given"].gradient, recording["closed"].gradient) == (4.0, 3.0)


def test_a_given_variable_that_is_read_is_no_weight():
    closed, given = tf.Variable(3.0), tf.Variable(2.0)
    recording = record_tape(lambda v, x: v * x * closed, given, 5.0)
    names = [value.name for value in recording.values]
    assert [names[i] for i in recording.sources] == ["v", "x", "closed"]
    assert [names[i] for i in recording.weights] == ["closed"]


def test_nested_inputs_keep_their_structure_and_name_the_sources():
    def f(params, pair):
        return params["layer"]["w"] * params["b"] * pair[0] * pair[1]

    recording = record_tape(f, {"layer": {"w": 2.0}, "b": tf.Variable(3.0)}, (5.0, 7.0))
    named = {recording.values[i].name: recording.values[i].gradient for i in recording.sources}
    assert named == {"w": 105.0, "b": 70.0, "pair[0]": 42.0, "pair[1]": 30.0}


def test_equal_names_are_numbered():
    recording = record_tape(lambda a, b: a["w"] * b["w"], {"w": 2.0}, {"w": 3.0})
    assert (recording["w"].gradient, recording["w (2)"].gradient) == (3.0, 2.0)


def test_a_whole_number_is_handed_on():
    recording = record_tape(lambda x, n: x**n, 2.0, 3)
    assert recording["x"].gradient == pytest.approx(12.0)
    assert len(recording.sources) == 1


def test_anything_else_is_handed_on_as_it_is():
    given = []
    record_tape(lambda x, *others: given.extend(others) or x * 2.0, 2.0, range(3), {1: "a", "b": 2})
    assert given == [range(3), {1: "a", "b": 2}]


def test_inside_of_a_tf_function_nested_too():
    inner = tf.function(lambda x: tf.sin(x) * 2.0)
    recording = record_tape(tf.function(lambda x: inner(x) + x), 0.0)
    assert labels(recording) == ["sin", "multiply by 2", "add"]
    assert recording["x"].gradient == pytest.approx(3.0)
    assert not tf.config.functions_run_eagerly()


def test_settings_are_restored_after_an_error():
    def broken(x):
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        record_tape(broken, 1.0)
    assert not tf.config.functions_run_eagerly()
    assert record_tape(lambda x: x + 1.0, 1.0)["x"].gradient == 1.0


def test_a_custom_gradient_is_one_operation():
    @tf.custom_gradient
    def doubled_back(x):
        return tf.exp(tf.sin(x)), lambda upstream: 2.0 * upstream

    recording = record_tape(lambda x: doubled_back(x * 3.0) + 1.0, 0.0)
    assert labels(recording) == ["x × 3", "custom gradient", "add 1"]
    assert recording["x"].gradient == pytest.approx(6.0)
    assert recording.operations[1].passes_gradient == (True,)


def test_several_targets_are_summed_and_named():
    recording = record_tape(lambda a, b: {"product": a * b, "square": a**2}, 2.0, 3.0)
    assert [recording.values[i].name for i in recording.targets] == ["product", "square"]
    assert (recording["a"].gradient, recording["b"].gradient) == (pytest.approx(7.0), 2.0)


def test_a_target_takes_no_name_that_a_source_has():
    y = tf.Variable(3.0)
    recording = record_tape(lambda z: y * z, 2.0)
    assert [value.name for value in recording.values] == ["z", "y", "out"]
    assert recording["y"].gradient == pytest.approx(2.0)


def test_a_target_may_be_a_source():
    recording = record_tape(lambda x: x, 2.0)
    assert recording.sources == recording.targets == (0,) and not recording.operations


def test_second_order_records_the_inner_gradient():
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x**3
        return tape.gradient(y, x)

    recording = record_tape(slope, 2.0)
    assert recording["slope"].value == pytest.approx(12.0)  # 3 x²
    assert recording["x"].gradient == pytest.approx(12.0)  # 6 x


def test_embedding_gradient_is_dense():
    table = tf.Variable(np.ones((4, 2), "float32"), name="table")
    recording = record_tape(lambda: tf.reduce_sum(tf.gather(table, [1, 1])) + table[0, 0])
    np.testing.assert_array_equal(recording["table"].gradient, [[1, 0], [2, 2], [0, 0], [0, 0]])
    assert labels(recording) == ["gather", "sum", "slice", "add"]
    assert all(all(operation.passes_gradient) for operation in recording.operations)


def test_a_variable_shows_what_it_held_when_it_was_read():
    v = tf.Variable(3.0)

    def f():
        y = v**2
        v.assign(10.0)
        return y

    recording = record_tape(f)
    assert (recording["v"].value, recording["v"].gradient) == (3.0, pytest.approx(6.0))


def test_layers_of_each_operation_and_two_calls_of_one_layer():
    shared = keras.layers.Dense(2, name="shared")
    inputs = keras.Input((2,))
    model = keras.Model(inputs, shared(shared(inputs)), name="twice")
    recording = record_tape(model, np.ones((1, 2), "float32"))
    stacks = [[call.name for call in op.layers] for op in recording.operations]
    assert stacks and all(stack == ["twice", "shared"] for stack in stacks)
    assert len({op.layers[1].number for op in recording.operations}) == 2
    assert {recording.values[i].name for i in recording.weights} == {"shared/kernel", "shared/bias"}


def test_model_gradients_agree_with_a_plain_tape():
    keras.utils.set_random_seed(1)
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(4, "silu", name="hidden")])
    x = np.random.RandomState(0).normal(size=(5, 3)).astype("float32")
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(model(x) ** 2)
    kernel, bias = tape.gradient(loss, [v.value for v in model.trainable_variables])
    recording = record_tape(lambda x: tf.reduce_mean(model(x) ** 2), x)
    np.testing.assert_allclose(recording["hidden/kernel"].gradient, kernel, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(recording["hidden/bias"].gradient, bias, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize(
    ("f", "inputs", "error", "says"),
    [
        (lambda x: None, [1.0], TypeError, "Make f return"),
        (lambda x: x.numpy(), [1.0], TypeError, "does not record float"),
        (lambda x: x**2, [3], TypeError, "Write 3.0"),
        (lambda: tf.constant(1.0), [], ValueError, "Pass the inputs after f"),
    ],
)
def test_errors_say_what_to_change(f, inputs, error, says):
    with pytest.raises(error, match=says):
        record_tape(f, *inputs)


def test_unknown_name_lists_the_known_ones():
    with pytest.raises(KeyError, match="holds x, y"):
        record_tape(lambda x: x**2, 3.0)["z"]


def test_tables():
    recording = record_tape(lambda x: tf.round(x) * x, 2.5)
    lines = str(recording).splitlines()
    assert lines[0].split() == ["value", "computed", "as", "from", "forward", "gradient"]
    assert [line.split()[0] for line in lines[1:]] == ["x", "v1", "y"]
    html = record_tape(lambda p: p["<b>"] * 2.0, {"<b>": 1.0})._repr_html_()
    assert "<caption>" in html and html.count('scope="row"') == 2 and 'scope="col"' in html
    assert "&lt;b&gt;" in html and "<b>" not in html


@pytest.mark.parametrize(
    ("op_type", "operands", "label"),
    [
        ("Pow", ["x", 2.0], "x²"),
        ("Pow", ["x", -10.0], "x⁻¹⁰"),
        ("Pow", ["x", 0.5], "x ^ 0.5"),
        ("Pow", [None, 3.0], "cube"),
        ("Pow", [2.0, "n"], "2 ^ n"),
        ("Pow", [None, None], "power"),
        ("Sub", [1.0, None], "subtract from 1"),
        ("Sub", [None, 1.0], "subtract 1"),
        ("Sub", [1.0, "x"], "1 − x"),
        ("RealDiv", [2.0, None], "2 ÷ …"),
        ("Greater", ["x", 0.0], "x > 0"),
        ("Mul", ["a", "b"], "multiply"),
        ("Mean", [None, 0.0], "mean"),
        ("AddN", [None, None, None], "sum of 3"),
        ("Square", ["w"], "w²"),
        ("__forward_step_12", [None], "function step"),
        ("Betainc", [None, None, None], "Betainc"),
    ],
)
def test_operation_labels(op_type, operands, label):
    assert operation_label(op_type, operands) == label


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.float32(6), "6.0"),
        (np.float32(-0.0), "0.0"),
        (1.23456789, "1.235"),
        (-1e-9, "−1e−09"),
        (np.nan, "nan"),
        (np.inf, "inf"),
        (np.int32(3), "3"),
        (True, "True"),
        ([1.0, 2.5], "[1.0, 2.5]"),
        (np.zeros((2, 2)), "[[0.0, 0.0], [0.0, 0.0]]"),
        (np.zeros((3, 4)), "(3, 4)"),
        (np.zeros(7), "(7,)"),
        (np.zeros((0, 2)), "(0, 2)"),
        (tf.constant(2.0, tf.bfloat16).numpy(), "2.0"),
        (None, "?"),
    ],
)
def test_value_texts(value, text):
    assert value_text(value) == text
