import functools
import gc
import importlib
import inspect
import re
import sys
import threading
import types
import weakref
from pathlib import Path

import keras
import more_programs_to_explain
import nbclient
import nbformat
import numpy as np
import programs_to_explain
import pytest
import tensorflow as tf

from course_staff.classroom.release import nbgrader_check
from course_staff.classroom.sandbox import cells
from gradient_tools import ExplainingTape, explain_gradients
from gradient_tools.recording import recorder
from gradient_tools.recording import tensorflow_internals as internals
from gradient_tools.recording.places import is_user_file, shown_file

PROGRAMS = programs_to_explain.PROGRAMS
EVERY = [function for _, _, function in PROGRAMS] + programs_to_explain.CORRECT


@functools.cache
def run_once(function):
    """Run a program once; return its gradients, and the explanations of all its tapes."""
    tapes = []

    class Kept(ExplainingTape):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            tapes.append(self)

    keras.utils.set_random_seed(11)
    gradients = function(Kept)
    return gradients, [explanation for tape in tapes for explanation in tape.explanations]


def explained(function):
    """Return the explanations of all tapes of a program."""
    return run_once(function)[1]


def marked_line(function):
    lines, first = inspect.getsourcelines(function)
    marked = [number for number, line in enumerate(lines) if line.rstrip().endswith("# <-")]
    assert len(marked) == 1, "a program marks one line"
    return first + marked[0]


def test_every_cause_has_an_eager_a_keras_and_a_graph_program():
    for cause in {cause for cause, _, _ in PROGRAMS} - {"zero-derivative", "undetermined"}:
        names = [function.__name__ for each, _, function in PROGRAMS if each == cause]
        graph = [name for name in names if name.startswith("graph")]
        keras = [name for name in names if name.startswith("keras")]
        assert len(names) >= 3 and graph and keras, (cause, names)


@pytest.mark.parametrize(
    ("cause", "source", "function"), PROGRAMS, ids=[f"{c}-{f.__name__}" for c, _, f in PROGRAMS]
)
def test_names_the_cause_and_the_line(cause, source, function):
    explanations = explained(function)
    assert explanations, "nothing was explained"
    found = explanations[source] if source < len(explanations) else explanations[-1]
    where = found.where
    assert (found.cause, where.line if where else None) == (cause, marked_line(function)), found
    assert where.file == inspect.getsourcefile(function)
    assert len(found.message.replace("e.g.", "").split(". ")) <= 3
    assert "{" not in found.message


def test_nothing_is_ruled_out_that_was_not_examined():
    @tf.function
    def said(x):
        tf.print("printed", output_stream=sys.stdout)  # which nobody wants twice
        return tf.nn.relu(x)

    x = tf.Variable(-1.0)
    with ExplainingTape() as tape:
        y = said(x)
    tape.gradient(y, x)
    (explanation,) = tape.explanations
    assert "PrintV2 runs only once" in explanation.message
    (inside,) = explained(more_programs_to_explain.zero_before_a_py_function)
    assert "the diagnosis did not examine anything before it" in inside.message
    assert "Ruled out" not in explanation.message + inside.message


@pytest.mark.parametrize("function", programs_to_explain.CORRECT, ids=lambda f: f.__name__)
def test_a_correct_program_needs_no_explanation(function):
    assert explained(function) == []


def comparable(value):
    if isinstance(value, tf.IndexedSlices):
        return ("slices", value.values.numpy().tolist(), value.indices.numpy().tolist())
    if value is None:
        return None
    return (value.dtype.name, value.shape.as_list(), value.numpy().tobytes())


@pytest.mark.parametrize("function", EVERY, ids=lambda f: f.__name__)
def test_gradients_are_those_of_the_plain_tape(function):
    keras.utils.set_random_seed(11)
    plain = function(tf.GradientTape)
    ours, _ = run_once(function)
    tf.nest.assert_same_structure(plain, ours)
    np.testing.assert_equal(
        [comparable(each) for each in tf.nest.flatten(ours)],
        [comparable(each) for each in tf.nest.flatten(plain)],
    )


# The tape is a drop-in: the same methods, the same exceptions.


def twice(Tape):
    x = tf.Variable(1.0)
    with Tape() as tape:
        y = x * x
    tape.gradient(y, x)
    tape.gradient(y, x)


def no_target(Tape):
    with Tape() as tape:
        pass
    tape.gradient(None, tf.Variable(1.0))


def target_is_a_number(Tape):
    x = tf.Variable(1.0)
    with Tape() as tape:
        y = float(x * x)
    tape.gradient(y, x)


def unknown_option(Tape):
    x = tf.Variable(1.0)
    with Tape() as tape:
        y = x * x
    tape.gradient(y, x, unconnected_gradients="nothing")


def watch_a_list_of_strings(Tape):
    with Tape() as tape:
        tape.watch(["x"])


def watch_a_keras_variable(Tape):
    with Tape() as tape:
        tape.watch(keras.Variable(1.0, name="kernel"))


def paused_outside(Tape):
    with Tape().stop_recording():
        pass


def entered_twice(Tape):
    with Tape() as tape:
        with tape:
            pass


def error_in_the_block(Tape):
    with Tape():
        tf.reshape(tf.ones(3), (2, 2))


def jacobian_of_a_used_tape(Tape):
    x = tf.Variable([1.0, 2.0])
    with Tape() as tape:
        y = x * x
    tape.gradient(y, x)
    tape.jacobian(y, x)


def batch_jacobian_of_a_vector(Tape):
    x = tf.Variable([1.0, 2.0])
    with Tape() as tape:
        y = x * x
    tape.batch_jacobian(y, x)


def no_registered_gradient(Tape):
    x = tf.Variable([3.0, 1.0, 2.0])
    with Tape() as tape:
        y = tf.raw_ops.Betainc(a=x, b=x, x=x / 4.0)
    tape.gradient(y, x)


@pytest.mark.parametrize(
    "function",
    [
        twice,
        no_target,
        target_is_a_number,
        unknown_option,
        watch_a_list_of_strings,
        watch_a_keras_variable,
        paused_outside,
        entered_twice,
        error_in_the_block,
        jacobian_of_a_used_tape,
        batch_jacobian_of_a_vector,
        no_registered_gradient,
    ],
    ids=lambda f: f.__name__,
)
def test_raises_what_the_plain_tape_raises(function):
    def outcome(Tape):
        try:
            function(Tape)
        except Exception as error:
            return type(error), re.sub(r"0x[0-9a-f]+|id=\d+|variable_\d+", "", str(error))
        return None

    assert outcome(ExplainingTape) == outcome(tf.GradientTape)


def test_every_public_method_takes_the_same_arguments():
    assert issubclass(ExplainingTape, tf.GradientTape)
    plain = {name for name in dir(tf.GradientTape) if not name.startswith("_")}
    assert plain <= set(dir(ExplainingTape))
    for name in plain | {"__init__"}:
        parameters = inspect.signature(getattr(tf.GradientTape, name)).parameters
        own = inspect.signature(getattr(ExplainingTape, name)).parameters
        named = [each for each in own.values() if each.kind != each.VAR_POSITIONAL]
        if len(named) == len(own):
            assert list(own) == list(parameters), name


def test_options_of_the_jacobian_are_passed_on():
    x = tf.Variable([1.0, 2.0])
    with ExplainingTape(persistent=True) as tape:
        y = x**3
    jacobian = tape.jacobian(y, x, experimental_use_pfor=False, parallel_iterations=2)
    np.testing.assert_allclose(jacobian, [[3.0, 0.0], [0.0, 12.0]])


def test_watched_variables_and_reset_are_those_of_the_plain_tape():
    a, b = tf.Variable(1.0), tf.Variable(2.0)
    with ExplainingTape() as tape:
        first = a * 2.0
        assert [each is a for each in tape.watched_variables()] == [True]
        tape.reset()
        second = first * b
    assert tape.gradient(second, [a, b])[0] is None
    assert [each is b for each in tape.watched_variables()] == [True]


def test_the_part_before_a_gradient_inside_a_paused_block_is_lost_as_with_the_plain_tape():
    def run(Tape):
        x = tf.Variable(3.0)
        with Tape() as tape:
            y = x**2
            with tape.stop_recording():
                tape.gradient(y, x)
            z = y * x
        return float(tape.gradient(z, x))

    assert run(ExplainingTape) == run(tf.GradientTape) == 9.0


def test_a_function_compiled_with_xla_runs_unchanged():
    w = tf.Variable([1.0, 2.0])

    @tf.function(jit_compile=True)
    def step(x):
        with ExplainingTape() as tape:
            loss = tf.reduce_sum(tf.round(w * x))
        assert tape.gradient(loss, w) is None
        assert tape.explanations[0].cause == "no-gradient-op"
        return loss

    assert float(step(tf.constant(2.0))) == 6.0


def test_tracing_adds_nothing_to_the_graph():
    w = tf.Variable([1.0, 2.0])

    def operations(Tape):
        @tf.function
        def step():
            with Tape() as tape:
                loss = tf.reduce_sum(tf.stop_gradient(w * 2.0))
            assert tape.gradient(loss, w) is None
            return loss

        return [each.type for each in step.get_concrete_function().graph.get_operations()]

    assert operations(ExplainingTape) == operations(tf.GradientTape)


def test_keras_fit_with_an_overridden_train_step():
    class Model(keras.Model):
        def __init__(self):
            super().__init__()
            self.used, self.unused = keras.layers.Dense(1), keras.layers.Dense(1)
            self.unused.build((None, 3))

        def call(self, x):
            return self.used(x)

        def train_step(self, data):
            x, y = data
            with ExplainingTape() as tape:
                loss = tf.reduce_mean((self(x, training=True) - y) ** 2)
            gradients = tape.gradient(loss, self.trainable_variables)
            causes.extend(each.cause for each in tape.explanations)
            kept = [g for g in gradients if g is not None]
            self.optimizer.apply(kept, self.used.trainable_variables)
            return {"loss": loss}

    causes = []
    model = Model()
    model.build((None, 3))
    model.compile("sgd")
    model.fit(programs_to_explain.X, programs_to_explain.Y, verbose=0, epochs=1)
    assert set(causes) == {"unconnected"}


# What the tape keeps, and for how long.


def listeners():
    from tensorflow.python.eager import context

    return list(context.context().op_callbacks)


def test_nothing_is_kept_after_gradient():
    before = listeners()
    x = tf.Variable([1.0, 2.0])
    with ExplainingTape() as tape:
        middle = x * 2.0
        y = tf.round(middle)
    seen = weakref.ref(middle)
    tape.gradient(y, x)
    assert listeners() == before
    del middle
    gc.collect()
    assert seen() is None
    assert tape.explanations[0].cause == "no-gradient-op"


def test_a_dropped_tape_stops_listening():
    before = listeners()
    with ExplainingTape() as tape:
        tf.ones(3) * 2.0
    assert len(listeners()) == len(before) + 1
    del tape
    gc.collect()
    assert listeners() == before


def test_a_tape_that_is_never_asked_stops_listening(monkeypatch):
    monkeypatch.setattr(recorder, "LATE_STEPS", 5)
    before = listeners()
    with ExplainingTape() as tape:
        x = tf.ones(3) * 2.0
    for _ in range(10):
        x = x * 1.0
    assert listeners() == before
    assert len(tape._steps.steps) == 7  # two in the block, five after it


def test_a_persistent_tape_listens_only_until_its_first_gradient():
    before = listeners()
    x = tf.Variable(2.0)
    with ExplainingTape(persistent=True) as tape:
        y = x * x
    tape.gradient(y, x)
    assert listeners() == before
    assert tape.gradient(y * 2.0, x) is None
    assert tape.explanations[0].cause in ("outside-tape", "constant-target")


def test_an_error_in_the_block_stops_listening():
    before = listeners()
    with pytest.raises(tf.errors.InvalidArgumentError), ExplainingTape() as tape:
        tf.reshape(tf.ones(3), (2, 2))
    assert listeners() == before
    del tape


def test_tapes_of_other_threads_are_explained():
    causes = []

    def work():
        x = tf.constant(2.0)
        with ExplainingTape() as tape:
            y = x * x
        tape.gradient(y, x)
        causes.append(tape.explanations[0].cause)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert causes == ["not-watched"] * 3


def test_explaining_leaves_outer_tapes_and_random_numbers_alone():
    def run(Tape):
        keras.utils.set_random_seed(5)
        x = tf.Variable([-1.0, -2.0])
        with tf.GradientTape() as outer:
            with Tape() as inner:
                y = tf.reduce_sum(tf.nn.relu(x) + tf.random.uniform([]) * 0.0)
            first = inner.gradient(y, x)
            z = tf.reduce_sum(first * x + x**2)
        return [outer.gradient(z, x).numpy().tolist(), tf.random.uniform([]).numpy()]

    assert run(ExplainingTape) == run(tf.GradientTape)


def test_the_work_of_explaining_is_not_recorded_by_an_outer_tape():
    def recorded(Tape):
        x = tf.Variable([-1.0, -2.0])
        with ExplainingTape(persistent=True) as outer:
            with Tape() as inner:
                y = tf.reduce_sum(tf.nn.relu(x))
            inner.gradient(y, x)
            return [step.op for step in outer._steps.steps]

    assert recorded(ExplainingTape) == recorded(tf.GradientTape)


# Where TensorFlow has moved what the diagnosis needs.


def test_tensorflow_still_has_what_the_diagnosis_needs():
    x, w = tf.constant([1.0, -2.0]), tf.Variable([3.0, 4.0])
    seen = []

    @tf.function
    def inner():
        if tf.reduce_sum(w) > 0.0:
            return w * 2.0
        return w

    def listen(op, inputs, attributes, outputs, name, graph):
        if graph is None:
            frame, graphs = inspect.currentframe(), []
            while frame is not None:
                if internals.role_of_file(frame.f_code.co_filename) == "function":
                    graphs.append(internals.called_graph(frame))
                frame = frame.f_back
            seen.append((op, inputs, attributes, outputs, graphs))

    inner()
    with internals.listen_to_operations(listen):
        y = tf.nn.relu(x)
        inner()
    op, inputs, attributes, outputs, _ = seen[0]
    assert op == "Relu" and inputs[0] is x and outputs[0] is y, "operations are not reported"
    passed = internals.gradients_of_operation(op, attributes, inputs, outputs, [tf.ones(2)])
    np.testing.assert_array_equal(passed[0], [1.0, 0.0])
    graph = seen[-1][4][0]
    assert graph is not None, "the graph of a called tf.function is not found"
    branches = [internals.inner_graphs(each) for each in graph.get_operations()]
    assert any({"then_branch", "else_branch"} <= set(each) for each in branches)

    @tf.function
    def rounded(v):
        return tf.sin(v), tf.round(v)

    by_type = {each.type: each for each in rounded.get_concrete_function(x).graph.get_operations()}
    assert internals.differentiable_inputs(by_type["Sin"]) == [True]
    assert internals.differentiable_inputs(by_type["Round"]) == [False]
    made, _ = internals.run_operation(by_type["Sin"], [x])
    np.testing.assert_allclose(made[0], np.sin(x), rtol=1e-6)
    assert by_type["Sin"].traceback, "operations of a graph do not keep their stack"


def test_a_variable_that_an_operation_reads_itself_is_told_by_its_position():
    w, x = tf.Variable([1.0, 2.0]), tf.constant([1.0, 2.0])
    read = []

    def listen(op, inputs, *_):
        handles = internals.variables_given(inspect.currentframe().f_back.f_back, inputs)
        read.append([handles.get(id(each)) is w.handle for each in inputs])

    with internals.listen_to_operations(listen):
        tf.maximum(x, w)
        tf.concat([x, w], 0)
        tf.split(w, 2)
    assert read == [[False, True], [False, True, False], [False, True]]


@pytest.mark.parametrize(
    "function",
    [
        programs_to_explain.rounding,
        programs_to_explain.constant_without_watch,
        programs_to_explain.dead_relu,
        programs_to_explain.graph_never_used,
        programs_to_explain.norm_at_zero,
    ],
    ids=lambda f: f.__name__,
)
def test_without_reports_of_operations_the_tape_works_and_says_so(function, monkeypatch):
    def moved(listener):
        raise ImportError("op_callbacks has moved")

    plain = function(tf.GradientTape)
    monkeypatch.setattr(recorder, "listen_to_operations", moved)
    kept = []

    class Kept(ExplainingTape):
        def __init__(self):
            super().__init__()
            kept.append(self)

    ours = function(Kept)
    for one, other in zip(tf.nest.flatten(plain), tf.nest.flatten(ours), strict=True):
        assert comparable(one) == comparable(other)
    assert "diagnosis is limited" in str(kept[-1].explain())
    assert "op_callbacks has moved" in kept[-1].explain()._repr_html_()
    assert {each.cause for each in kept[-1].explanations} <= {"not-watched", "undetermined"}


@pytest.mark.parametrize(
    "name", ["gradients_of_operation", "differentiable_inputs", "inner_graphs", "run_operation"]
)
def test_a_failing_diagnosis_never_reaches_the_program(name, monkeypatch):
    def broken(*_):
        raise RuntimeError("moved")

    modules = (
        "explaining.flow",
        "explaining.flow_building",
        "explaining.replay",
        "recording.recorder",
    )
    paths = [f"gradient_tools.{module}.{name}" for module in modules]
    users = [
        path for path in paths if hasattr(importlib.import_module(path.rpartition(".")[0]), name)
    ]
    assert users, "nothing uses it"
    for path in users:
        monkeypatch.setattr(path, broken)
    for function in (
        programs_to_explain.rounding,
        programs_to_explain.graph_floor,
        programs_to_explain.graph_dead_relu,
        programs_to_explain.graph_branch_not_taken,
    ):
        assert explained(function), function


# explain_gradients, and how explanations are shown.


def test_a_function_is_explained():
    found = explain_gradients(lambda x, y: tf.round(x) + y, [tf.constant(1.5), 2.0])
    assert [(each.source, each.cause) for each in found] == [("x", "no-gradient-op")]


def test_a_function_that_leaves_tensorflow_is_explained():
    def loss(x):
        y = np.sin(x)
        return tf.reduce_sum(y)

    found = explain_gradients(loss, np.array([1.0, 2.0]))
    assert [each.cause for each in found] == ["left-tensorflow"]
    assert found[0].where.line == loss.__code__.co_firstlineno + 1


def test_a_function_of_variables_is_explained():
    model = programs_to_explain.small_model()
    spare = tf.Variable(1.0)

    @tf.function
    def loss():
        return tf.reduce_mean(model(programs_to_explain.X))

    found = explain_gradients(loss, [*model.trainable_variables, spare])
    assert [(each.source, each.cause) for each in found] == [("spare", "unconnected")]


def test_a_function_with_nothing_to_explain():
    assert "Nothing to explain" in str(explain_gradients(lambda x: x**2, np.array([1.0, 2.0])))


def test_an_integer_argument_is_explained():
    found = explain_gradients(lambda x: x * x, 3)
    assert [each.cause for each in found] == ["integer-dtype"]


def shown():
    a = tf.Variable(2.0)
    with ExplainingTape() as tape:
        y = tf.round(a) if a < 3.0 else a
    tape.gradient(y, a)
    return tape.explain()


def test_html_is_a_card_with_escaped_source():
    html = shown()._repr_html_()
    assert 'role="status"' in html and "<strong>✗ Gradient is None</strong>" in html
    assert "a &lt; 3.0" in html and "a < 3.0" not in html
    assert "<pre" in html and "tf.stop_gradient" in html
    assert not re.findall(r"[^-]color:", html)


def test_sources_that_were_lost_alike_share_a_card():
    model = programs_to_explain.small_model()
    other = tf.constant(1.0)
    with ExplainingTape() as tape:
        loss = tf.reduce_sum(tf.round(model(programs_to_explain.X)))
    tape.gradient(loss, [*model.trainable_variables, other])
    html = tape.explain()._repr_html_()
    assert html.count('role="status"') == 2 and "So it is with" in html
    assert all(variable.path in html for variable in model.trainable_variables)


def test_text_names_source_cause_line_and_remedy():
    text = str(shown())
    assert text.startswith("✗ a: gradient is None (no-gradient-op)")
    assert "test_explaining.py, line" in text and "operation Round" in text
    assert "y = a + tf.stop_gradient(tf.round(a) - a) if a < 3.0 else a" in text


def test_a_cell_is_named_by_its_number(monkeypatch):
    file = "/tmp/ipykernel_12/345.py"
    names = {file: ("Cell", "In[7]")}
    shell = types.SimpleNamespace(
        compile=types.SimpleNamespace(format_code_name=lambda name: names.get(name))
    )
    module = types.SimpleNamespace(get_ipython=lambda: shell)
    monkeypatch.setitem(__import__("sys").modules, "IPython", module)
    assert is_user_file(file)
    assert shown_file(file) == "cell In[7]"
    assert shown_file("/home/me/train.py") == "train.py"


def test_what_runs_the_users_code_is_not_the_users():
    for module in (recorder, nbgrader_check, cells):
        assert not is_user_file(module.__file__), module
    assert is_user_file(__file__)


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (
            more_programs_to_explain.watch_thrown_away_by_reset,
            "`tape.reset()` cleared everything that `tape` was watching, including `x`",
        ),
        (more_programs_to_explain.reset_before_the_question, "`tape.reset()` erased what had"),
    ],
)
def test_reset_is_named(function, says):
    assert explained(function)[0].message.startswith(says)


def test_a_watch_before_reset_is_no_reason_for_a_zero():
    w = tf.Variable(-1.0)
    with ExplainingTape() as tape:
        tape.watch(w)
        tape.reset()
        y = tf.nn.relu(w)
    tape.gradient(y, w)
    assert [each.cause for each in tape.explanations] == ["zero-saturated"]


def traced(compute, call):
    """Trace a function under a tape that asks for the gradient of its argument; explain it."""
    notes = []

    @tf.function
    def step(x):
        with ExplainingTape() as tape:
            tape.watch(x)
            y = compute(x)
        gradient = tape.gradient(y, x)
        notes.append(tape.explain())
        return gradient

    call(step)
    return notes[0]


@pytest.fixture
def eagerly():
    """Run every tf.function eagerly, as a note of a traced tape advises."""
    tf.config.run_functions_eagerly(True)
    yield
    tf.config.run_functions_eagerly(False)


@pytest.mark.parametrize("x", [2.0, 0.0])
def test_a_traced_tape_says_that_no_gradient_has_a_value_yet(x):
    explanations = traced(lambda x: tf.sqrt(tf.nn.relu(x - 5.0)), lambda step: step(tf.constant(x)))
    assert not explanations
    assert "is being traced" in explanations.note and "run_functions_eagerly" in explanations.note


@pytest.mark.usefixtures("eagerly")
def test_what_that_note_advises_shows_zeros_and_nan():
    (zero,) = traced(lambda x: tf.nn.relu(x - 5.0), lambda step: step(tf.constant(2.0)))
    assert zero.cause == "zero-saturated" and "input: -3" in zero.message
    assert zero.where.operation == "Relu" and "relu(x - 5.0)" in zero.where.text
    (nan,) = traced(lambda x: tf.sqrt(x**2), lambda step: step(tf.constant(0.0)))
    assert (nan.cause, nan.where.operation) == ("not-finite", "Sqrt")


def test_a_line_below_the_block_is_not_said_to_stand_above_it():
    w, x = tf.Variable([1.0, 2.0]), tf.constant([3.0, 1.0])
    with ExplainingTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.tanh(tf.reduce_sum(w * x))
    slopes = tape.gradient(y, x)
    penalty = tf.reduce_sum(slopes**2)
    assert tape.gradient(penalty, w) is None
    (lost,) = tape.explanations
    assert lost.cause == "outside-tape" and "after the block of `tape` had ended" in lost.message


def test_a_tape_hears_every_result_while_another_listens():
    w = tf.Variable(3.0)
    with ExplainingTape() as never_asked:
        w * 2.0

    @tf.function
    def step():
        with ExplainingTape() as tape:
            y = tf.round(w)
        tape.gradient(y, w)
        return [each.cause for each in tape.explanations] == ["no-gradient-op"]

    assert step()
    with ExplainingTape() as second:
        y = tf.round(w)
    second.gradient(y, w)
    assert second.explanations[0].cause == "no-gradient-op"
    assert len(never_asked._steps.steps) > 2


def test_of_two_gradients_on_one_line_each_names_its_own_source():
    a, b = tf.Variable(2.0), tf.Variable(5.0)
    with ExplainingTape() as outer:
        with ExplainingTape() as inner:
            y = a**3
        outer.gradient(inner.gradient(y, a), b)
    assert [each.source for each in outer.explanations] == ["b"]
    with ExplainingTape(persistent=True) as tape:
        y = a**3
        tape.gradient(tape.gradient(y, a), b)
    assert [each.source for each in tape.explanations] == ["b"]


def test_a_name_that_a_graph_loop_gives_another_value_was_never_the_variable():
    w = tf.Variable(2.0)
    found = []

    @tf.function
    def descend(w):
        for _ in tf.range(2):
            with ExplainingTape() as tape:
                loss = (w - 5.0) ** 2
            gradient = tape.gradient(loss, w)
            found.extend(tape.explain())
            w = w - 0.1 * (0.0 if gradient is None else gradient)
        return w

    descend(w)
    assert found[0].cause == "rebound-source" and "From the first iteration on" in found[0].message
    assert found[0].where.text.startswith("w = w - 0.1")


def test_not_finite_names_the_input_and_an_earlier_bad_value():
    z = tf.Variable([1000.0, 0.0])
    with ExplainingTape() as tape:
        e = tf.exp(z)
        loss = (e / tf.reduce_sum(e))[0]
    tape.gradient(loss, z)
    explanation = tape.explanations[0]
    assert "inf" in explanation.message and "already" in explanation.message
    assert explanation.where.operation == "RealDiv"


def gradient_of_choice(compute):
    """Return the explanation of a NaN gradient at a = 10."""
    a = tf.Variable(10.0)
    with ExplainingTape() as tape:
        y = compute(a)
    tape.gradient(y, a)
    return tape.explanations[0]


def test_a_branch_that_where_did_not_choose_is_told_from_a_bad_slope():
    unchosen = gradient_of_choice(lambda a: tf.where(a < 15.0, a, 10.0 ** tf.exp(a)))
    assert "did not choose" in unchosen.message
    assert unchosen.remedy.startswith("safe = tf.where(condition, 1.0, a)")

    other_side = gradient_of_choice(lambda a: tf.where(a >= 15.0, 10.0 ** tf.exp(a), a))
    assert other_side.remedy.startswith("safe = tf.where(condition, a, 1.0)")

    chosen = gradient_of_choice(lambda a: tf.where(a < 15.0, tf.sqrt(a - 10.0), a))
    assert "did not choose" not in chosen.message
    assert "1e-12" in chosen.remedy

    multiplied = gradient_of_choice(lambda a: 0.0 * tf.sqrt(a - 10.0))
    assert "did not choose" not in multiplied.message


def test_a_variable_of_whole_numbers_is_made_again_as_floats():
    count = tf.Variable(5)
    with ExplainingTape() as tape:
        y = count * count
    tape.gradient(y, count)
    assert tape.explanations[0].remedy == "count = tf.Variable(5.0)"


def test_a_saturated_operation_is_named_with_its_values():
    x = tf.Variable([5.0, 7.0])
    with ExplainingTape() as tape:
        y = tf.reduce_sum(tf.clip_by_value(x, 0.0, 1.0))
    tape.gradient(y, x)
    assert "from 5 to 7" in tape.explanations[0].message


def test_a_keras_variable_is_watched_by_its_value():
    found = explained(programs_to_explain.keras_automatic_watching_off)
    assert "[v.value for v in model.trainable_variables]" in found[0].remedy


def test_a_variable_made_inside_the_block_is_said_to_be_new():
    x = tf.constant(3.0)
    with ExplainingTape() as tape:
        tape.watch(x)
        state = tf.Variable(x**2)
    assert tape.gradient(state, x) is None
    assert "stored the value in a new variable" in str(tape.explain())


def test_in_a_notebook_cells_are_named_and_read(kernel_settings):
    cells = [
        "import numpy as np, tensorflow as tf\nfrom gradient_tools import ExplainingTape",
        "v = tf.Variable(2.0)\nwith ExplainingTape() as tape:\n    a = np.sqrt(v)\n"
        "    loss = tf.constant(a)",
        "tape.gradient(loss, v)\nprint(tape.explain())",
        "for _ in range(2):\n    with ExplainingTape() as tape:\n        loss = v * 2.0\n"
        "    g = tape.gradient(loss, v)\n    v = v - 0.1 * g if g is not None else v",
        "tape.explain()",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
    root = {"metadata": {"path": str(Path(__file__).parents[3])}}
    nbclient.NotebookClient(notebook, timeout=100, config=kernel_settings, resources=root).execute()
    text = "".join(each.get("text", "") for each in notebook.cells[2].outputs)
    assert "left-tensorflow" in text and "cell In[2], line 3: a = np.sqrt(v)" in text
    (shown,) = notebook.cells[4].outputs
    assert "rebound-source" in shown["data"]["text/html"]
    assert "cell In[4], line 5" in shown["data"]["text/html"]


def ragged(Tape):
    x = tf.ragged.constant([[1.0, 2.0], [3.0]])
    with Tape() as tape:
        y = tf.reduce_sum(x * 2.0)
    return tape.gradient(y, x)


def complex_number(Tape):
    w = tf.Variable(1 + 0j)
    with Tape() as tape:
        y = tf.abs(w * 0.0)
    return tape.gradient(y, w)


def half_precision(Tape):
    w = tf.Variable(tf.cast([-1.0, -2.0], tf.bfloat16))
    with Tape() as tape:
        y = tf.reduce_sum(tf.nn.relu(w))
    return tape.gradient(y, w)


def unused_rows(Tape):
    table = tf.Variable(tf.ones((5, 2)))
    with Tape() as tape:
        y = tf.reduce_sum(tf.gather(table, [0, 1]) * 0.0)
    return tape.gradient(y, table)


@pytest.mark.parametrize(
    ("function", "cause"),
    [
        (ragged, "not-watched"),
        (complex_number, "zero-derivative"),
        (half_precision, "zero-saturated"),
        (unused_rows, "zero-derivative"),
    ],
)
def test_other_kinds_of_tensors(function, cause):
    assert [each.cause for each in explained(function)] == [cause]
    assert comparable(function(tf.GradientTape)) == comparable(function(ExplainingTape))


def test_a_question_that_raised_is_not_said_to_need_no_explanation():
    v = tf.Variable(2.0)
    with ExplainingTape() as tape:
        loss = tf.unique([v])[0][0]
    with pytest.raises(LookupError):
        tape.gradient(loss, v)
    assert "raised an error, so there is no gradient: LookupError" in str(tape.explain())


def test_a_source_under_a_key_has_that_name():
    params = {"w": tf.constant(2.0), "b": tf.constant(1.0)}
    with ExplainingTape() as tape:
        loss = params["w"] * 3.0 + params["b"]
    tape.gradient(loss, params)
    assert [each.source for each in tape.explain()] == ["params['b']", "params['w']"]


def test_a_model_that_was_replaced_is_named_after_garbage_collection_too():
    def new_model():
        return keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])

    model = new_model()
    with ExplainingTape() as tape:
        loss = tf.reduce_sum(model(tf.ones((2, 3))))
    model = new_model()
    gc.collect()
    tape.gradient(loss, model.trainable_variables)
    assert {each.cause for each in tape.explanations} == {"rebound-source"}

    with ExplainingTape() as tape:
        loss = tf.reduce_sum(model(tf.ones((2, 3))))
        model = new_model()
        gc.collect()
    tape.gradient(loss, model.trainable_variables)
    assert {each.cause for each in tape.explanations} == {"rebound-source"}
