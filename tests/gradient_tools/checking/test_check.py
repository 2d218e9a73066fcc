"""The gradient check: no false alarm, no missed mistake, the right row, the right words."""

import html
import random
import re

import keras
import matplotlib
import numpy as np
import pytest
import tensorflow as tf

from benchmarks.gradient_cases import CORRECT, MISTAKES
from gradient_tools import check_gradients

matplotlib.use("Agg")


@pytest.mark.parametrize("case", CORRECT, ids=lambda case: case.name)
def test_no_false_alarm(case, seeds):
    assert [line for seed in seeds for line in case.failures(seed)] == []


@pytest.mark.parametrize("case", MISTAKES, ids=lambda case: case.name)
def test_every_planted_mistake_is_found_in_the_right_row(case, seeds):
    assert [line for seed in seeds for line in case.failures(seed)] == []


def verdict(f, at, **options):
    (row,) = check_gradients(f, at, **options).rows
    return row.verdict


def network(inputs, hidden):
    rng = np.random.default_rng(3)
    x = tf.constant(rng.normal(size=(8, inputs)))
    w = tf.Variable(rng.normal(size=(inputs, hidden)) / np.sqrt(inputs), name="w")
    b = tf.Variable(rng.normal(size=hidden), name="b")
    return lambda: tf.reduce_mean(tf.tanh(x @ w + b) ** 2), [w, b]


# What it costs


@pytest.mark.parametrize("directions", [1, 3, 5])
def test_evaluations_grow_with_variables_and_directions_only(directions):
    for inputs, hidden in [(3, 2), (40, 30), (300, 200)]:
        calls = []
        f, at = network(inputs, hidden)

        def counted(f=f, calls=calls):
            calls.append(1)
            return f()

        report = check_gradients(counted, at, directions=directions)
        assert report.passed
        assert report.evaluations == len(calls) == 12 + 4 * directions * 2
        assert [row.evaluations for row in report.rows] == [4 * directions] * 2


# What is shown


def test_a_row_says_everything():
    f, at = network(3, 2)
    row = check_gradients(f, at).rows[0]
    assert (row.name, row.shape, row.dtype, row.verdict) == ("w", (3, 2), "float64", "agrees")
    assert row.analytic == pytest.approx(row.numeric, rel=1e-4)
    assert row.difference == row.analytic - row.numeric
    assert 0 < row.error_bar < 1e-4
    assert row.hint == ""


def test_a_single_number_shows_its_own_derivative():
    row = check_gradients(lambda x: x**2, -3.0).rows[0]
    assert row.name == "x"
    assert row.analytic == pytest.approx(-6)
    assert row.numeric == pytest.approx(-6, abs=row.error_bar)


def test_the_error_bar_holds_the_truth():
    for seed in range(100):
        x = np.float32(np.random.default_rng(seed).uniform(0.5, 3.0))
        row = check_gradients(tf.exp, x, seed=seed).rows[0]
        assert abs(row.numeric - np.exp(np.float64(x))) <= row.error_bar


def test_names_are_paths_places_and_parameters():
    a, b = tf.Variable(1.0), tf.Variable(2.0, name="b")
    assert [r.name for r in check_gradients(lambda: a * b, [a, b]).rows] == ["at[0]", "b"]
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1, name="head")], name="m")
    x = tf.ones((3, 2))
    rows = check_gradients(lambda: tf.reduce_mean(model(x) ** 2 + model(x)), model).rows
    assert [row.name.split("/", 1)[-1] for row in rows] == ["head/kernel", "head/bias"]
    rows = check_gradients(lambda x, scale: x * scale, [2.0, 3.0]).rows
    assert [row.name for row in rows] == ["x", "scale"]
    rows = check_gradients(lambda p: p["w"] * p["b"], {"w": 2.0, "b": 3.0}).rows
    assert [row.name for row in rows] == ["p['b']", "p['w']"]
    for f in (max, lambda *both: both[0] * both[1]):  # without names of their own
        assert [row.name for row in check_gradients(f, [2.0, 3.0]).rows] == ["at[0]", "at[1]"]
    assert check_gradients(lambda *inputs: inputs[0] ** 2, 2.0).rows[0].name == "at"


def test_the_leaves_of_a_layer_have_the_names_of_its_method_call():
    class Blend(keras.layers.Layer):
        def call(self, first, second):
            return first * second

    x = np.array([1.0, 2.0])
    assert [row.name for row in check_gradients(keras.layers.ReLU(), x).rows] == ["inputs"]
    rows = check_gradients(Blend(dtype="float64"), [x, 2 * x]).rows
    assert [row.name for row in rows] == ["first", "second"]


def test_text_and_html_and_plot():
    report = check_gradients(lambda x, y: x**2 * y, [3.0, 2.0], grads=[12.0, -9.0])
    text = str(report)
    assert text.startswith("Not passed: 1 of 2 gradients agree with central differences (")
    assert "✗ disagrees: y () float32\n  claimed -9.0" in text and "✓ agrees: x" in text
    assert "  The sign is wrong" in text and max(map(len, text.splitlines())) <= 100
    page = report._repr_html_()
    assert 'role="status"' in page and "<strong>✗ Not passed" in page
    assert "<strong>✓ agrees</strong> · <code>x</code>" in page and "The sign is wrong" in page
    assert page.index("✗ disagrees") < page.index("✓ agrees")  # what is wrong comes first
    ax = report.plot()
    assert ax.get_xlabel().startswith("numeric") and ax.get_ylabel().startswith("analytic")
    assert [text.get_text() for text in ax.texts] == ["y: 200.0% off"]
    assert report.plot(ax) is ax
    ax = check_gradients(tf.abs, 0.0).plot()
    assert [text.get_text() for text in ax.texts] == ["x: kink nearby"]
    assert repr(report) == text


@pytest.mark.parametrize("name", ["<b>", "<script>x</script>"])
def test_html_is_escaped(name):
    w = tf.Variable(1.0, name=name)
    for f, at in ((lambda: w**2, w), (lambda p: p[name] ** 2, {name: 1.0})):
        report = check_gradients(f, at)
        assert name in report.rows[0].name
        page = report._repr_html_()
        assert html.escape(name) in page and name not in page


def test_an_empty_plot_has_its_line_and_no_points():
    ax = check_gradients(lambda x: x + tf.random.normal([]), 1.0).plot()
    titles = {ax.get_title(place) for place in ("left", "center")}  # a style may move it
    assert "0 of 1 agree with central differences" in titles
    assert len(ax.lines) == 1 and len(ax.containers) == 0 and len(ax.texts) == 0
    low, high = ax.get_xlim()
    assert (low, high) == ax.get_ylim() and -np.inf < low < 0 < high < np.inf


# The verdicts that are neither agreement nor disagreement


def test_disconnected_with_and_without_movement():
    def f(x, y, z):
        return x * z + tf.round(100.0 * y)

    rows = check_gradients(f, [1.0, 2.0, 3.0]).rows
    assert [row.verdict for row in rows] == ["agrees", "disconnected", "agrees"]
    unused = check_gradients(lambda x, y: x**2, [1.0, 2.0]).rows[1]
    assert unused.verdict == "disconnected" and "does not use it" in unused.hint
    step = check_gradients(lambda x: tf.cast(x > 0, x.dtype), tf.constant([1.5, -0.5])).rows[0]
    assert "uses it only through a step (floor, argmax, a cast to integers, a comp" in step.hint
    jump = check_gradients(tf.round, tf.constant([0.5])).rows[0]
    assert jump.verdict == "disconnected" and "only through a step" in jump.hint
    numpy = tf.Variable([1.0, 2.0])
    left = check_gradients(lambda: tf.constant(numpy.numpy().sum() ** 2), numpy).rows[0]
    assert left.verdict == "disconnected" and "but f changes" in left.hint


def test_dropout_is_not_repeatable():
    dropout = keras.layers.Dropout(0.5)
    report = check_gradients(lambda x: dropout(x, training=True), np.ones(64))
    assert report.rows[0].verdict == "not repeatable" and not report.passed
    assert "not repeatable: x (64,) float64\n  f gave two different values" in str(report)
    assert "training=False" in report.rows[0].hint and "seed" in report.rows[0].hint
    assert check_gradients(lambda x: dropout(x, training=False), np.ones(64)).passed


def test_two_equal_draws_do_not_make_dropout_pass():
    dropout = keras.layers.Dropout(0.5, seed=1)
    for seed in range(20):
        report = check_gradients(
            lambda x: tf.reduce_sum(dropout(x, training=True)), np.ones(4), seed=seed
        )
        assert not report.passed


def test_rare_randomness_is_not_called_a_mistake():
    noise = np.random.default_rng(0)

    def f(x):
        return tf.reduce_sum(x**2) * (1.0 if noise.random() < 0.8 else 1.1)

    verdicts = {verdict(f, np.ones(5), seed=seed) for seed in range(20)}
    # Where every evaluation of one check happened to be alike, the gradient does agree.
    assert "not repeatable" in verdicts
    assert verdicts <= {"not repeatable", "cannot tell", "agrees"}


@pytest.mark.parametrize("f", [tf.nn.relu, tf.abs, lambda x: tf.maximum(x, 0.3 * x)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_kink_nearby(f, dtype, seeds):
    for seed in seeds:
        assert verdict(lambda x: tf.reduce_sum(f(x)), np.zeros(3, dtype), seed=seed) == (
            "kink nearby"
        )


@pytest.mark.parametrize("distance", [1e-9, 1e-7, 1e-5, 1e-3])
def test_a_kink_at_any_distance_is_no_mistake(distance, seeds):
    for seed in seeds:
        for x in (distance, -distance):
            found = verdict(lambda x: tf.abs(x - 1.0), np.float64(1.0 + x), seed=seed)
            assert found in ("agrees", "kink nearby")


def test_a_sign_is_found_at_a_kink_of_other_entries():
    x = np.array([0.0, 1.0, -2.0, 3.0])
    wrong = [-np.sign(x)]
    assert verdict(lambda x: tf.reduce_sum(tf.abs(x)), [x], grads=wrong) == "disagrees"


def test_cannot_tell():
    edge = check_gradients(lambda x: tf.sqrt(x) * x, np.float64(0.0))
    assert edge.rows[0].verdict == "cannot tell" and "edge" in edge.rows[0].hint


@pytest.mark.parametrize("factor", [1.0, 1.5, 0.0, -1.0])
def test_a_constant_that_hides_the_gradient_is_named_and_nothing_agrees(factor):
    x = tf.constant([0.3, 0.5, -1.2])

    def f(x):
        return 1e8 + tf.reduce_sum(tf.sin(x))

    (row,) = check_gradients(f, x, grads=factor * tf.cos(x)).rows
    assert row.verdict == "cannot tell"
    assert row.hint.startswith(
        "f changes too little compared with the rounding of its value, about 1e+08"
    )
    assert "float64" in row.hint


def test_what_hides_beside_another_leaf_is_said_to_be_hidden():
    x = tf.constant([0.3, 0.5, -1.2])
    rows = check_gradients(lambda w, x: 1e8 * w**2 + tf.reduce_sum(tf.sin(x)), [1.0, x]).rows
    assert [row.verdict for row in rows] == ["agrees", "agrees"]
    assert rows[1].hint.endswith("The rounding of values of about 1e+08 hides anything smaller.")


def test_a_tensor_that_is_given_twice_is_two_leaves():
    x = tf.constant([1.0, 2.0, 3.0])
    rows = check_gradients(lambda a, b: tf.reduce_sum(a * b**2), [x, x]).rows
    assert [row.verdict for row in rows] == ["agrees", "agrees"]
    assert check_gradients(lambda a, b: tf.reduce_sum(b), [x, x]).rows[0].verdict == "disconnected"


@pytest.mark.parametrize("factor", [1.0, 1.5])
def test_many_points_show_a_gradient_that_is_near_the_rounding(factor):
    x = np.full(9, 1e-3, "float32")
    grads = np.full(9, factor, "float32")
    (row,) = check_gradients(lambda x: 1e6 + tf.reduce_sum(x), [x], grads=[grads]).rows
    assert (row.verdict == "agrees") is (factor == 1.0)
    assert all(m.error_bar > abs(m.numeric - m.analytic / factor) for m in row.measurements)


@pytest.mark.parametrize(
    ("f", "at", "grads"),
    [
        (lambda x: tf.norm(x), np.zeros(3), None),
        (lambda x: tf.reduce_sum(tf.nn.relu(x) ** 0.5), tf.constant([-1.0]), None),
        (lambda x: tf.reduce_sum(0 * x), np.ones(2), np.full(2, np.nan)),
        (lambda x: tf.reduce_sum(x**2), np.ones(2), np.array([2.0, np.inf])),
    ],
)
@pytest.mark.parametrize("mode", ["directional", "entrywise"])
def test_a_gradient_that_is_not_finite_disagrees_before_anything_is_measured(f, at, grads, mode):
    report = check_gradients(f, at, grads=grads, mode=mode)
    (row,) = report.rows
    assert row.verdict == "disagrees" and not report.passed and row.measurements == ()
    assert re.fullmatch(
        r"The gradient is (NaN|infinite)( in \d of \d entries)? although f is finite here. "
        "Look for a division by zero, or a root or power of zero.",
        row.hint,
    )


def test_what_cannot_be_judged_does_not_read_as_a_wrong_gradient():
    report = check_gradients(
        lambda x, y: tf.reduce_sum(x**2) + tf.reduce_sum(tf.abs(y)), [np.ones(2), np.zeros(3)]
    )
    assert not report.passed
    assert str(report).startswith(
        "Undecided: 1 of 2 gradients agree with central differences, and 1 could not be judged ("
    )
    page = report._repr_html_()
    assert "<strong>? Undecided" in page and "✗" not in page


def test_what_cannot_be_judged_says_what_to_do():
    wide = check_gradients(lambda x: 1e6 + tf.reduce_sum(tf.sin(x)), np.ones(3, "float32"))
    assert wide.rows[0].verdict == "cannot tell"
    for cure in ("float64", "smaller batch", "`step="):
        assert cure in wide.rows[0].hint
    short = check_gradients(lambda x: tf.reduce_sum(x**3), np.ones(3), step=1e-15).rows[0]
    assert "longer step, such as `step=1e-14`" in short.hint


def test_what_holds_for_all_rows_is_said_once():
    noise = keras.layers.GaussianNoise(0.1)

    def f(a, b, c):
        return sum(tf.reduce_sum(noise(x, training=True)) for x in (a, b, c))

    report = check_gradients(f, [tf.ones(3), tf.ones(2), tf.ones(4)])
    assert str(report).count("two different values") == 1
    assert report._repr_html_().count("two different values") == 1
    assert "≠ not repeatable, 3 rows: f gave two" in str(report)
    assert all("two different values" in row.hint for row in report.rows)


def test_float16_inside_of_f_is_no_mistake_and_said_once():
    x = tf.random.stateless_normal((8, 5), seed=(1, 2))

    def f(w, v):
        hidden = tf.tanh(tf.cast(x, tf.float16) @ tf.cast(w, tf.float16))
        return tf.reduce_mean(tf.cast(hidden @ tf.cast(v, tf.float16), tf.float32) ** 2)

    for seed in range(4):
        w, v = (tf.random.stateless_normal(s, seed=(seed, 4)) for s in ((5, 6), (6, 1)))
        report = check_gradients(f, [w, v], seed=seed)
        assert {row.verdict for row in report.rows} <= {"agrees", "cannot tell", "kink nearby"}
        for row in report.rows:
            if row.verdict == "agrees":
                assert row.error_bar < 0.1 * abs(row.numeric)
        assert str(report).count("float16 or") <= 1


def test_a_model_in_mixed_precision_is_named_once():
    policy = keras.mixed_precision.DTypePolicy("mixed_float16")
    model = keras.Sequential(
        [
            keras.Input((5,)),
            keras.layers.Dense(6, activation="relu", dtype=policy),
            keras.layers.Dense(3, dtype=policy),
        ]
    )
    x = tf.random.stateless_normal((8, 5), seed=(1, 2))
    verdicts = set()
    for seed in range(4):
        report = check_gradients(
            lambda: tf.reduce_mean(tf.cast(model(x), tf.float32) ** 2), model, seed=seed
        )
        verdicts |= {row.verdict for row in report.rows}
        for row in report.rows:
            assert row.verdict != "cannot tell" or "float16" in row.hint
        assert str(report).count("f computes in float16") <= 1
    assert verdicts <= {"agrees", "cannot tell"}


def test_integers_and_booleans_are_constants():
    logits, labels = tf.random.stateless_normal((4, 3), seed=(1, 2)), tf.constant([0, 2, 1, 1])
    mask = tf.constant([True, True, False, True])

    def loss(logits, labels, mask):
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
        return tf.reduce_sum(tf.boolean_mask(losses, mask))

    at = [logits, labels, mask]
    report = check_gradients(loss, at)
    assert report.passed and [row.name for row in report.rows] == ["logits"]
    assert report.constants == {"labels": "int32", "mask": "bool"}
    constants = "Constant, not differentiated: labels (int32), mask (bool)."
    assert constants in str(report) and constants in report._repr_html_()
    right = tf.where(
        mask[:, None], tf.nn.softmax(logits) - tf.one_hot(labels, 3), tf.zeros_like(logits)
    )
    for grads in ([right, None, None], [right]):
        assert check_gradients(loss, at, grads=grads).passed
    assert not check_gradients(loss, at, grads=[-right, None, None]).passed
    # A whole number stays what it is in Python: an axis, say.
    assert check_gradients(lambda x, axis: tf.reduce_sum(x, axis), [tf.ones((2, 3)), 1]).passed
    counter, w = tf.Variable(3), tf.Variable(2.0, name="w")
    report = check_gradients(lambda: w ** tf.cast(counter, tf.float32), [w, counter])
    assert report.passed and report.constants == {"at[1]": "int32"}


def test_a_bias_that_batch_normalisation_removes_agrees(seeds):
    model = keras.Sequential(
        [keras.Input((4,)), keras.layers.Dense(3), keras.layers.BatchNormalization()]
    )
    keras.utils.set_random_seed(0)
    x = tf.random.normal((32, 4))
    f = tf.function(lambda: tf.reduce_mean(tf.tanh(model(x, training=True) + 0.5)))
    for seed in seeds:
        assert check_gradients(f, model, seed=seed).passed


# Hints

W = np.random.default_rng(5).normal(size=(4, 4))
V = tf.constant(np.random.default_rng(6).normal(size=(4, 4)))
RIGHT = 2 * V.numpy().T @ (V.numpy() @ W)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (-RIGHT, "The sign is wrong"),
        (2 * RIGHT, "2 times the right one"),
        (RIGHT / 2, "1/2 of the right one"),
        (0 * RIGHT, "The gradient is zero, but f changes"),
        (32 * RIGHT, "32 times the right one in every direction. Look for a sum"),
        (RIGHT / 32, "1/32 of the right one in every direction. Look for a mean"),
        (1.1 * RIGHT, "1.1 times the right one in every direction"),
        (RIGHT.T, "transposed"),
        (RIGHT + np.diag([0, 0, 0.5, 0]), r"largest at entry \[2, 2\]"),
        (np.where(np.eye(4), np.nan, RIGHT), "NaN in 4 of 16 entries although f is finite here"),
        (RIGHT[:2], "shape"),
    ],
)
def test_the_hint_names_the_mistake(wrong, words, seeds):
    for seed in seeds:
        report = check_gradients(
            lambda w: tf.reduce_sum((V @ w) ** 2), [W], grads=[wrong], seed=seed
        )
        (row,) = report.rows
        assert row.verdict == "disagrees"
        assert re.search(words, row.hint), row.hint


def test_right_gradients_by_hand_agree(seeds):
    for seed in seeds:
        assert verdict(lambda w: tf.reduce_sum((V @ w) ** 2), W, grads=RIGHT, seed=seed) == "agrees"


def test_hint_for_a_transposed_shape():
    f, (w, _) = network(3, 2)
    row = check_gradients(f, [w], grads=[np.ones((2, 3))]).rows[0]
    assert row.verdict == "disagrees" and "It is transposed" in row.hint


def test_hint_for_the_batch_size_of_a_tensor():
    x = np.arange(1.0, 9.0)
    row = check_gradients(tf.identity, [x], grads=None).rows[0]
    assert row.verdict == "agrees"
    rule = tf.custom_gradient(lambda x: (x**2, lambda up: 8 * up * 2 * x))
    row = check_gradients(rule, x).rows[0]
    assert row.verdict == "disagrees"
    assert "8 times the right one, and 8 is the batch size of what f returns" in row.hint


def test_a_whole_factor_is_a_batch_only_where_something_has_so_many_rows():
    images = tf.random.stateless_normal((12, 3), seed=(1, 2))

    def mean_square(w):
        return tf.reduce_mean(tf.reduce_sum((images * w) ** 2, axis=1))

    w = tf.constant([1.0, -2.0, 0.5])
    right = 2 * w * tf.reduce_mean(images**2, axis=0)
    (row,) = check_gradients(mean_square, [w], grads=[12 * right]).rows
    assert (
        "12 times the right one, and `images` has length 12. This looks like the gradient of a sum"
        in (row.hint)
    )
    (row,) = check_gradients(mean_square, [w], grads=[7 * right]).rows
    assert "7 times the right one in every direction. Look for a sum" in row.hint


def test_between_two_numbers_there_always_is_a_factor():
    def f(slope, offset):
        return slope**2 + 3 * offset

    wrong = check_gradients(f, [2.0, 1.0], grads=[4.0, 3 / 7]).rows[1]
    assert wrong.verdict == "disagrees" and "times" not in wrong.hint and "of a" not in wrong.hint
    assert (
        "Your gradient is 0.428571, but the tape's, which agrees with finite differences, is 3"
        in wrong.hint
    )
    # Two rows that are wrong by the same factor are no accident.
    rows = check_gradients(f, [2.0, 1.0], grads=[20.0, 15.0]).rows
    assert all("5 times the right one" in row.hint for row in rows)


def test_gradients_that_are_swapped_are_named():
    u, v = tf.Variable([1.0, 2.0, -1.0], name="u"), tf.Variable([0.5, 3.0, 2.0], name="v")

    @tf.custom_gradient
    def product(scale):
        def backward(upstream, variables=None):
            return tf.reduce_sum(u * v**2), [upstream * v**2, upstream * 2 * u * v][::-1]

        return scale * tf.reduce_sum(u * v**2), backward

    def given(**options):
        return check_gradients(lambda: tf.reduce_sum(u * v**2), [u, v], **options).rows

    right = [v**2, 2 * u * v]
    for row in given(grads=right[::-1]):
        assert row.verdict == "disagrees"
        assert row.hint == (
            "The gradients of " + ("u and v" if row.name == "u" else "v and u") + " are swapped. "
            "Give the gradients in the same order as `at`."
        )
    first, second = given(grads=[right[0], right[0]])
    assert first.verdict == "agrees"
    assert second.hint.startswith("This is the gradient of u.")
    for row in check_gradients(lambda: product(tf.constant(1.0)), [u, v]).rows:
        assert (
            "are swapped. A `custom_gradient` must return the gradients in the same order"
            in row.hint
        )


def test_a_clipped_gradient_has_a_round_norm():
    def f(a, b):
        return tf.reduce_sum(a**3) + tf.reduce_sum(tf.sin(b))

    a, b = np.array([1.0, -2.0, 0.3]), np.array([0.1, 0.2])
    right = [3 * a**2, np.cos(b)]
    clipped = [tf.clip_by_norm(right[0], 2.0), right[1]]
    first, second = check_gradients(f, [a, b], grads=clipped).rows
    assert "The norm of the gradient is 2, but it should be 12.4: the gradient was clipped" in (
        first.hint
    )
    assert second.verdict == "agrees"
    for row in check_gradients(f, [a, b], grads=tf.clip_by_global_norm(right, 5.0)[0]).rows:
        assert "The global norm of the gradients is 5" in row.hint
    # Half of a gradient whose own norm is round was not clipped.
    (row,) = check_gradients(tf.reduce_sum, [np.ones(4)], grads=[np.full(4, 0.5)]).rows
    assert "1/2 of the right one" in row.hint


@pytest.mark.parametrize("mode", ["directional", "entrywise"])
def test_a_gradient_of_what_does_not_move_is_a_rule_or_a_broken_contract(mode):
    @tf.custom_gradient
    def rounded(x):
        return tf.round(x), lambda upstream: upstream

    (row,) = check_gradients(rounded, np.array([0.2, 1.3, -0.4]), mode=mode).rows
    assert row.verdict == "disagrees" and row.numeric == 0
    assert "not zero, but f does not change here. Look for a straight-through rule" in row.hint
    assert "labels do not sum to 1" in row.hint and "entrywise" not in row.hint


def test_one_row_of_labels_that_sum_to_zero_is_named_entry_by_entry():
    logits = tf.constant([[1.0, 2.0], [0.5, -1.0], [0.3, 0.2]], tf.float64)
    weights = tf.constant([[1.0], [1.0], [0.0]], tf.float64)
    labels = weights * tf.one_hot([0, 1, 1], 2, dtype=tf.float64)

    def loss(logits):
        return tf.reduce_sum(tf.nn.softmax_cross_entropy_with_logits(labels, logits))

    report = check_gradients(loss, logits, mode="entrywise")
    assert "Worst at entry [2, " in str(report) and "labels do not sum to 1" in report.rows[0].hint
    (row,) = check_gradients(loss, logits).rows
    assert '`mode="entrywise"` shows which' in row.hint


def test_hint_for_an_upstream_that_is_forgotten_or_clipped():
    rule = tf.custom_gradient(lambda x: (x**2, lambda up: 2 * x))
    clips = tf.custom_gradient(lambda x: (x**2, lambda up: tf.clip_by_value(up, -0.1, 0.1) * 2 * x))
    for f in (rule, lambda x: tf.reduce_sum(3 * rule(x)), clips):
        row = check_gradients(f, np.array([1.0, 2.0])).rows[0]
        assert row.verdict == "disagrees" and "upstream" in row.hint


# What it leaves as it was


def test_variables_are_restored_exactly_also_when_f_raises():
    for dtype in ("float32", "float64"):
        w = tf.Variable(np.random.default_rng(0).normal(size=50).astype(dtype))
        before = w.numpy().tobytes()
        check_gradients(lambda w=w: tf.reduce_sum(tf.sin(w)), w)
        assert w.numpy().tobytes() == before
        calls = []

        def fails(w=w, calls=calls):
            calls.append(1)
            if len(calls) == 17:
                raise RuntimeError("on purpose")
            return tf.reduce_sum(tf.sin(w))

        with pytest.raises(RuntimeError, match="on purpose"):
            check_gradients(fails, w)
        assert w.numpy().tobytes() == before


def test_moving_statistics_of_a_model_are_restored():
    model = keras.Sequential([keras.Input((4,)), keras.layers.BatchNormalization()])
    before = [v.numpy() for v in model.variables]
    x = tf.constant(np.random.default_rng(0).normal(size=(16, 4)), tf.float32)
    assert check_gradients(lambda: tf.reduce_mean(model(x, training=True) ** 3), model).passed
    for was, variable in zip(before, model.variables, strict=True):
        np.testing.assert_array_equal(was, variable.numpy())


def test_random_state_is_untouched():
    random.seed(1)
    np.random.seed(2)
    tf.random.set_seed(3)
    expected = (random.random(), np.random.rand(), float(tf.random.normal([])))
    random.seed(1)
    np.random.seed(2)
    tf.random.set_seed(3)
    check_gradients(lambda x: tf.reduce_sum(x**2), np.ones(5), grads=np.ones(5))
    assert expected == (random.random(), np.random.rand(), float(tf.random.normal([])))


def test_the_seed_repeats_a_report():
    f, at = network(3, 2)
    assert str(check_gradients(f, at, seed=4)) == str(check_gradients(f, at, seed=4))
    assert str(check_gradients(f, at, seed=4)) != str(check_gradients(f, at, seed=5))


# Options and errors


def test_entrywise_one_entry_at_a_kink_does_not_pass_in_the_shade_of_the_others():
    report = check_gradients(tf.nn.relu, tf.constant([0.0, 1.0, -2.0]), mode="entrywise")
    assert [row.verdict for row in report.rows] == ["kink nearby"]
    assert "Worst at entry [0]" in str(report)
    assert check_gradients(tf.nn.relu, tf.constant([0.5, 1.0, -2.0]), mode="entrywise").passed


@pytest.mark.parametrize("mode", ["entrywise", slice(0, 5), slice(1, None, 2)])
def test_entrywise(mode, seeds):
    x = np.linspace(0.5, 2.0, 6).reshape(2, 3)
    right = 3 * x**2
    wrong = right.copy()
    wrong[1, 0] *= 1.2
    for seed in seeds:
        options = {"mode": mode, "seed": seed}
        assert verdict(lambda x: tf.reduce_sum(x**3), [x], grads=[right], **options) == "agrees"
        report = check_gradients(lambda x: tf.reduce_sum(x**3), [x], grads=[wrong], **options)
        assert report.rows[0].verdict == "disagrees"
        assert report.rows[0].measurements[0].entry == (1, 0)
        assert "Worst at entry [1, 0]" in str(report)
    entries = len(range(6)[mode]) if isinstance(mode, slice) else 6
    report = check_gradients(lambda x: tf.reduce_sum(x**3), x, mode=mode)
    assert len(report.rows[0].measurements) == entries
    assert verdict(lambda x: tf.reduce_sum(x**3), [x], grads=[wrong], mode=slice(0, 3)) == "agrees"


def test_the_step_can_be_given():
    assert verdict(lambda x: tf.reduce_sum(x**3), np.ones(3), step=1e-5) == "agrees"
    assert verdict(lambda x: tf.reduce_sum(x**3), np.ones(3), step=1e-15) == "cannot tell"


def test_second_order_sees_the_stopped_mean_of_tf_nn_moments():
    # The variance there stops the gradient of the mean: right once, wrong twice.
    x = np.random.default_rng(0).normal(size=6)
    assert verdict(lambda x: tf.nn.moments(x, [0])[1], x) == "agrees"
    assert verdict(lambda x: tf.nn.moments(x, [0])[1], x, order=2) == "disagrees"
    assert verdict(lambda x: tf.math.reduce_variance(x), x, order=2) == "agrees"


def test_a_sum_that_is_zero_but_for_rounding_agrees_with_zeros():
    x = tf.random.stateless_normal((5, 3), seed=(1, 2))
    centred = lambda x: tf.reduce_sum(x - tf.reduce_mean(x, axis=1, keepdims=True))  # noqa: E731
    assert verdict(centred, x, grads=tf.zeros((5, 3))) == "agrees"


@pytest.mark.parametrize("x", [3e4, 2e5, 1e6])
def test_a_step_longer_than_a_swing_blames_no_right_gradient(x):
    at = tf.constant([x])
    assert verdict(tf.sin, at) == "cannot tell"
    assert verdict(tf.sin, at, grads=[0.5 * tf.cos(at)]) == "disagrees"
    assert verdict(tf.sin, tf.cast(at, tf.float64)) == "agrees"


def test_a_gradient_that_jumps_does_not_count_as_one_that_stands_still():
    @tf.custom_gradient
    def square(x):
        return x**2, lambda upstream: upstream * 2 * tf.floor(x)

    report = check_gradients(square, tf.constant([1.0, 2.0]), order=2)
    assert not report.passed and "f changes only in jumps" in report.rows[0].hint


def test_second_order_of_a_linear_part_is_zero():
    rows = check_gradients(lambda x, y: x**3 + y, [2.0, 3.0], order=2).rows
    assert [row.verdict for row in rows] == ["agrees", "agrees"]


@pytest.mark.parametrize(
    ("f", "at", "options", "error", "words"),
    [
        (lambda x: x, 3, {}, TypeError, "x has dtype int32.*3.0 instead of 3"),
        (lambda x: x, "a", {}, TypeError, "string"),
        (lambda x: x, object(), {}, TypeError, "x is of type object, not a tensor of numbers"),
        (lambda x: x, np.zeros((0, 3)), {}, ValueError, "x is empty"),
        (lambda x: x, [], {}, ValueError, "at is empty"),
        (lambda x: x, np.array([1.0, np.inf]), {}, ValueError, "x contains NaN or infinity"),
        (lambda x: None, 3.0, {}, TypeError, "returned None"),
        (lambda x: x.numpy() ** 2, 3.0, {}, TypeError, "cannot follow a computation through NumPy"),
        (lambda x: float(x), 3.0, {}, TypeError, "returned float"),
        (lambda x: (x, x), 3.0, {}, TypeError, "returned a tuple"),
        (lambda x: tf.cast(x, tf.int32), 3.0, {}, TypeError, "int32"),
        (lambda z: tf.abs(z), 1j, {}, TypeError, r"f\(tf.complex\(re, im\)\), \[re, im\]"),
        (lambda x: tf.complex(x, x), 3.0, {}, TypeError, "complex64.*tf.math.real"),
        (lambda x, y: x, [3, True], {}, TypeError, "x has dtype int32"),
        (lambda x: x / 0.0, 3.0, {}, ValueError, "f is NaN or infinite"),
        (tf.constant(1.0), 3.0, {}, TypeError, "f must be a function"),
        (lambda x: x, 3.0, {"directions": 0}, ValueError, "directions"),
        (lambda x: x, 3.0, {"order": 3}, ValueError, "order"),
        (lambda x: x, 3.0, {"mode": "all"}, ValueError, "mode"),
        (lambda x: x, np.ones(3), {"mode": slice(3, 9)}, ValueError, "none of the 3 entries of x"),
        (lambda x: x, 3.0, {"step": -1.0}, ValueError, "step"),
        (lambda x: x, 3.0, {"step": "small"}, ValueError, "step must be a positive number"),
        (lambda x: x[:0], np.ones(3), {}, ValueError, "f returned an empty tensor"),
        (lambda x: x, 3.0, {"grads": 1.0, "order": 2}, ValueError, "only with order=1"),
        (lambda x, y: x, [1.0, 2.0], {"grads": [1.0]}, ValueError, "grads has 1"),
        (lambda x: x, 3.0, {"grads": "steep"}, TypeError, "grads for x"),
        (lambda x: x, [1.0, tf.Variable(2.0)], {}, TypeError, "mixes variables and tensors"),
        (lambda x: x**2, tf.Variable(2.0), {}, TypeError, "but it takes x. Pass an f without"),
        (lambda x: tf.round(x), 3.0, {"order": 2}, ValueError, "first gradient is None"),
    ],
)
def test_errors_name_what_is_wrong(f, at, options, error, words):
    with pytest.raises(error, match=words):
        check_gradients(f, at, **options)


def test_a_model_that_is_not_built_is_named():
    with pytest.raises(ValueError, match="no trainable variables. Build it first"):
        check_gradients(lambda: tf.constant(1.0), keras.Sequential())
