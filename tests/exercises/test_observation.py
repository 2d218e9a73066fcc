import json
import linecache

import numpy as np
import pytest
import tensorflow as tf

from course_utils.exercises.observation import (
    calls_noted,
    describe,
    observe_calls,
    same_code,
)

VALUES = {
    "none": (None, None),
    "bool": (True, True),
    "int": (3, 3),
    "text": ("x", "x"),
    "open": (..., {"type": "ellipsis"}),
    "list": ([1, None], {"type": "list", "items": [1, None]}),
    "tuple": ((2.0,), {"type": "tuple", "items": [2.0]}),
    "dict": ({"w": 1}, {"type": "dict", "items": {"w": 1}}),
    "array": (
        np.float32([[1, 2]]),
        {"type": "array", "dtype": "float32", "shape": [1, 2], "value": [[1.0, 2.0]]},
    ),
    "numpy number": (
        np.float64(2),
        {"type": "array", "dtype": "float64", "shape": [], "value": 2.0},
    ),
    "text array": (
        np.array(["a"]),
        {"type": "array", "dtype": "str32", "shape": [1], "value": None},
    ),
    "class": (dict, {"type": "function", "name": "dict"}),
    "object": (object(), {"type": "object", "name": "object"}),
}


@pytest.mark.parametrize("name", VALUES)
def test_describe(name):
    value, description = VALUES[name]
    assert describe(value) == description
    assert json.loads(json.dumps(description)) == description


def test_describe_tensors_and_variables():
    tensor = {"type": "tensor", "dtype": "int32", "shape": [2], "value": [1, 2]}
    assert describe(tf.constant([1, 2])) == tensor
    assert describe(tf.Variable(1.0))["type"] == "variable"
    assert describe(tf.keras.Variable(1.0))["type"] == "variable"
    sparse = tf.IndexedSlices(tf.constant([[5.0]]), tf.constant([1]), tf.constant([2, 1]))
    assert describe(sparse)["value"] == [[0.0], [5.0]]


def test_a_symbolic_tensor_and_a_large_array_have_no_value():
    assert describe(tf.keras.Input((3,)))["type"] == "object"
    assert describe(np.zeros(200_000))["value"] is None


def test_calls_are_recorded_up_to_the_first_that_raises():
    def inverse(x):
        print("called with", x)
        return 1 / x

    observation = observe_calls(inverse, [(2,), (0,), (1,)])
    first = observation["calls"][0]
    assert first["returned"] == 0.5 and not any(first["called"].values())
    raised = observation["calls"][1]["raised"]
    assert raised == {
        "type": "ZeroDivisionError",
        "message": "division by zero",
        "line": "return 1 / x",
    }
    assert len(observation["calls"]) == 2
    assert observation["printed"] == "called with 2\ncalled with 0\n"


def test_endless_printing_is_cut_and_takes_no_memory():
    def talk():
        for _ in range(1000):
            print("x" * 100)

    assert len(observe_calls(talk, [()])["printed"]) == 2_000


def test_long_lists_are_described_in_part():
    assert len(describe([0.0] * 5_000)["items"]) == 1_000


def test_an_error_inside_a_tf_function_gives_its_own_line_and_message():
    @tf.function
    def broken(x):
        return x + undefined  # noqa: F821

    raised = observe_calls(broken, [(1.0,)])["calls"][0]["raised"]
    assert raised["message"] == "name 'undefined' is not defined"
    assert raised["line"].startswith("return x + undefined")


def test_calls_are_noted_in_a_graph_too_and_in_the_block_alone():
    w = tf.Variable(3.0)

    def slope():
        with tf.GradientTape() as tape:
            loss = w**2
        return tape.gradient(loss, w)

    with calls_noted(tf.GradientTape, "gradient") as noted:
        assert slope() == 6.0 and len(noted) == 1 and noted[0]["sources"] is w
        assert tf.function(slope)() == 6.0 and len(noted) == 2
    assert slope() == 6.0 and len(noted) == 2


def test_a_function_that_exits_is_an_error_and_not_the_end():
    observation = observe_calls(lambda: exit(3), [()])
    assert observation["calls"][0]["raised"]["type"] == "SystemExit"


def test_what_is_not_a_function_is_described():
    assert observe_calls(3.0, [()]) == {"given": 3.0}


def test_prepare_turns_drawn_inputs_into_arguments():
    observation = observe_calls(lambda x: x, [(1.0,)], prepare=lambda x: (tf.constant(x),))
    assert observation["calls"][0]["returned"]["type"] == "tensor"


def test_call_says_what_is_described_and_errors_keep_their_line():
    def broken(x):
        raise ValueError("no")

    def twice(function, x):
        return function(x), function(2 * x)

    observation = observe_calls(lambda x: x + 1, [(1.0,)], call=twice)
    assert observation["calls"][0]["returned"]["items"] == [2.0, 3.0]
    raised = observe_calls(broken, [(1.0,)], call=twice)["calls"][0]["raised"]
    assert raised["line"] == 'raise ValueError("no")'


STUB = "def f(x):\n    # a remark\n    g = lambda t: t + 1\n    return g(x)\n"


@pytest.mark.parametrize(
    ("source", "same"),
    [
        (STUB, True),
        ("\n\n\ndef f(x):\n    g = lambda t: t + 1  # moved\n\n    return g(x)\n", True),
        (STUB.replace("t + 1", "t + 2"), False),
        (STUB.replace("return g(x)", "return x"), False),
        (STUB.replace("def f", "def h"), False),
    ],
)
def test_same_code_sees_changes_of_code_alone(source, same):
    namespace = defined(source)
    function = namespace.get("f") or namespace["h"]
    assert same_code(function, STUB) is same


def defined(source):
    """Run a cell, whose lines can be found again as in a notebook, and return what it bound."""
    namespace, name = {"tf": tf}, f"<cell {source}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    exec(compile(source, name, "exec"), namespace)
    return namespace


def test_same_code_of_something_without_code():
    assert same_code(len, STUB) is False


def test_same_code_sees_a_decorator_that_was_taken_away_or_added():
    plain = "def double(x):\n    return 2 * x\n"
    in_a_graph = "@tf.function\n" + plain
    double, double_in_a_graph = defined(plain)["double"], defined(in_a_graph)["double"]
    assert same_code(double, plain) and same_code(double_in_a_graph, in_a_graph)
    assert not same_code(double, in_a_graph)
    assert not same_code(double_in_a_graph, plain)


def test_same_code_looks_under_a_custom_gradient():
    plain = "def scale(x):\n    return 2 * x, lambda arriving: arriving\n"
    stub = "@tf.custom_gradient\n" + plain
    assert same_code(defined(stub)["scale"], stub)
    assert not same_code(defined(plain)["scale"], stub)
