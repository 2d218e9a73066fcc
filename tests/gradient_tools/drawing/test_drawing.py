"""What a drawn tape says and where it stands, read from the Axes without an image."""

import keras
import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
import tensorflow as tf
from matplotlib.path import Path

from gradient_tools import plot_tape
from gradient_tools.drawing.layout import Item
from gradient_tools.drawing.routing import Layout

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def texts(ax):
    return [text.get_text() for text in ax.texts]


def cards(ax):
    """Give each card's outline by its title, in data coordinates."""
    return [
        (patch.get_gid().removeprefix("card "), patch.get_path().get_extents())
        for patch in ax.patches
        if (patch.get_gid() or "").startswith("card ")
    ]


def edges(ax):
    """Give each edge's (from, to), its path, and whether it is drawn dashed."""
    return [
        (
            tuple(patch.get_gid().removeprefix("edge ").split(" -> ")),
            patch.get_path(),
            patch.get_linestyle() != "-" and patch.get_linestyle() != "solid",
        )
        for patch in ax.patches
        if (patch.get_gid() or "").startswith("edge ")
    ]


def linear_model():
    w, b = tf.Variable([[1.0], [2.0], [-1.0]], name="W"), tf.Variable(0.5, name="b")
    x, y = np.eye(4, 3, dtype="float32"), np.ones((4, 1), "float32")

    def loss(x, y):
        return tf.reduce_mean((x @ w + b - y) ** 2)

    return plot_tape(loss, x, y)


def diamond():
    return plot_tape(lambda x: x * x + tf.sin(x), 2.0)


def stopped():
    return plot_tape(lambda x, w: tf.stop_gradient(x * 2.0 + 1.0) * w + x, 2.3, 1.5)


def loop(times=12):
    def f(x, w):
        for _ in range(times):
            x = tf.tanh(x * w)
        return x

    return plot_tape(f, 0.5, 1.5)


def conv_model(depth=1):
    model = keras.Sequential(
        [
            keras.Input((12, 12, 1)),
            keras.layers.Conv2D(4, 3, activation="relu", name="conv"),
            keras.layers.BatchNormalization(name="norm"),
            keras.layers.Dropout(0.5, name="dropout"),
            keras.layers.Flatten(name="flatten"),
            keras.layers.Dense(10, name="logits"),
        ],
        name="net",
    )
    x = np.random.RandomState(0).normal(size=(2, 12, 12, 1)).astype("float32")
    return plot_tape(lambda x: tf.reduce_mean(model(x, training=True) ** 2), x, depth=depth)


def wide():
    return plot_tape(lambda *xs: tf.add_n([tf.sin(x) for x in xs]), *np.arange(9.0))


def unrolled():
    layer = keras.layers.LSTM(3)
    return plot_tape(lambda x: tf.reduce_sum(layer(x)), np.ones((2, 5, 3), "float32"))


GALLERY = [linear_model, diamond, stopped, loop, conv_model, wide, unrolled]


@pytest.mark.parametrize("draw", GALLERY)
def test_nothing_overlaps_and_every_text_is_inside_its_box(draw):
    ax = draw()
    boxes = [box for _, box in cards(ax)]
    for i, a in enumerate(boxes):
        for b in boxes[:i]:
            apart = a.x1 <= b.x0 or b.x1 <= a.x0 or a.y1 <= b.y0 or b.y1 <= a.y0
            assert apart, (a, b)
    renderer = ax.figure.canvas.get_renderer()
    figure = ax.figure.bbox
    for text in ax.texts:
        extent = text.get_window_extent(renderer)
        assert figure.x0 <= extent.x0 and extent.x1 <= figure.x1, text
        here = ax.transData.inverted().transform_bbox(extent)
        owners = [b for b in boxes if b.x0 <= text.get_position()[0] <= b.x1]
        owners = [b for b in owners if b.y0 <= text.get_position()[1] <= b.y1]
        for box in owners:
            assert box.x0 <= here.x0 and here.x1 <= box.x1, text


@pytest.mark.parametrize("draw", GALLERY)
def test_no_line_runs_through_a_box(draw):
    ax = draw()
    boxes = [box for _, box in cards(ax)]
    for ends, path, _ in edges(ax):
        flat = path.cleaned(curves=False)  # curves as short straight lines
        points = Path(flat.vertices[flat.codes != Path.STOP]).interpolated(8).vertices
        for box in boxes:
            inside = (box.x0 + 1 < points[:, 0]) & (points[:, 0] < box.x1 - 1)
            inside &= (box.y0 + 1 < points[:, 1]) & (points[:, 1] < box.y1 - 1)
            assert not inside.any(), (ends, box)


@pytest.mark.parametrize("draw", GALLERY)
def test_fits_a_notebook(draw):
    width = draw().figure.get_size_inches()[0]
    assert width < 11.5


def test_square_says_everything():
    ax = plot_tape(lambda x: x**2, 3.0)
    assert texts(ax) == ["x", "3.0", "∂y/∂x = 6.0", "y = x²", "9.0", "∂y/∂y = 1.0"]
    ((ends, _, dashed),) = edges(ax)
    assert ends == ("x", "y = x²") and not dashed


def test_dead_branch_is_dashed_and_says_so():
    ax = stopped()
    dashed = {ends for ends, _, dashed in edges(ax) if dashed}
    assert dashed == {
        ("x", "x × 2"),
        ("x × 2", "add 1"),
        ("add 1", "stop_gradient"),
        ("stop_gradient", "multiply"),
    }
    assert len(edges(ax)) == 7 and texts(ax).count("no gradient") == 3


def test_a_gradient_may_arrive_where_none_passes():
    ax = plot_tape(lambda x: tf.round(x) + x, 2.3)
    assert "passes no gradient" in texts(ax) and "∂y/∂x = 1.0" in texts(ax)
    assert {ends: dashed for ends, _, dashed in edges(ax)} == {
        ("x", "round"): True,
        ("round", "y = add"): False,
        ("x", "y = add"): False,
    }


def test_unused_source_stands_alone():
    ax = plot_tape(lambda x, unused: x**3, 2.0, 5.0)
    assert "no operation reads it" in texts(ax)
    assert [ends for ends, _, _ in edges(ax)] == [("x", "y = x³")]


def test_large_values_are_given_by_shape_and_norm():
    ax = plot_tape(lambda x: tf.reduce_sum(x), np.ones((3, 4), "float32"))
    assert texts(ax)[:3] == ["x", "(3, 4)", "‖∂y/∂x‖ = 3.464"]  # √12


def test_targets_are_summed_and_the_note_says_so():
    ax = plot_tape(lambda a, b: {"l1": a * b, "l2": a**2}, 2.0, 3.0)
    assert "∂Σ/∂a = 7.0" in texts(ax) and "∂Σ/∂b = 2.0" in texts(ax)
    assert texts(ax)[-1].endswith("Σ = l1 + l2.")
    ax = plot_tape(lambda x: 2.0 * x, np.ones(3, "float32"))
    assert "∂Σy/∂x = [2.0, 2.0, 2.0]" in texts(ax)
    assert texts(ax)[-1] == "y has 3 elements: the tape differentiates their sum."


@pytest.mark.parametrize(
    ("depth", "titles"),
    [
        (0, ["x", "net · Sequential", "square", "y = mean"]),
        (
            1,
            ["x", "conv · Conv2D", "norm · BatchNormalization", "dropout", "flatten"]
            + ["logits · Dense", "square", "y = mean"],
        ),
    ],
)
def test_a_model_folds_into_its_layers(depth, titles):
    ax = conv_model(depth)
    assert [title for title, _ in cards(ax)] == titles
    if depth == 1:
        assert any(text.startswith("kernel (3, 3, 1, 4)  ‖∂‖ = ") for text in texts(ax))


def test_a_model_unfolds_on_request():
    titles = [title for title, _ in cards(conv_model(depth=2))]
    assert {"conv2d", "relu", "reshape", "matmul", "conv/kernel"} <= set(titles)


def test_too_many_boxes_are_folded_with_a_note():
    assert len(cards(loop(19))) == 40  # 38 operations and two sources are still drawn
    ax = loop(40)
    titles = [title for title, _ in cards(ax)]
    assert len(titles) == 25 and "… 58 operations …" in titles
    assert titles[-1] == "f = tanh"
    assert texts(ax)[-1].startswith("80 operations in all")


def test_a_model_that_is_too_deep_is_opened_less():
    model = keras.Sequential([keras.Input((2,))] + [keras.layers.Dense(2) for _ in range(41)])
    ax = plot_tape(model, np.ones((1, 2), "float32"))
    assert len(cards(ax)) == 2
    assert "At depth=1 there would be more than 40 boxes, so the drawing uses depth=0." in texts(ax)


def test_many_operations_that_lead_nowhere_are_left_out():
    def f(x):
        for _ in range(9):
            tf.sin(x)
        return x * x

    ax = plot_tape(f, 1.0)
    assert len(cards(ax)) == 2
    assert texts(ax)[-1] == "9 operations that lead to no target are left out."


def test_a_source_that_is_read_in_vain_was_read():
    def f(x, w):
        for _ in range(9):
            tf.sin(w)
        return x * x

    ax = plot_tape(f, 1.0, 2.0)
    assert "no operation reads it" not in texts(ax) and "no gradient" in texts(ax)


def test_a_source_is_named_again_on_a_later_row():
    ax = loop()
    assert [title for title, _ in cards(ax)].count("w") == 1
    assert texts(ax).count("w") > 1


def test_a_source_stands_right_before_its_first_reader():
    left = {title: box.x0 for title, box in cards(linear_model())}
    assert left["W"] < left["matmul"] <= left["b"] + 1 < left["add"]


def test_draws_into_a_given_axes():
    _, ax = plt.subplots(figsize=(4, 3))
    assert plot_tape(lambda x: x * x + tf.sin(x), 2.0, ax=ax) is ax
    assert max(text.get_fontsize() for text in ax.texts) < 11.5
    box = ax.get_window_extent()
    for text in ax.texts:
        extent = text.get_window_extent()
        assert box.x0 <= extent.x0 and extent.x1 <= box.x1


@pytest.mark.parametrize("count", [3, 30])
def test_a_note_is_inside_the_picture_however_long_it_is(count):
    ax = plot_tape(lambda x: tf.unstack(x * 2.0), np.ones(count))
    notes = [text for text in ax.texts if text.get_ha() == "left"]
    said = " ".join(note.get_text() for note in notes)
    assert said.startswith("With several targets") and said.endswith(f"+ y{count}.")
    figure = ax.figure.bbox
    for note in notes:
        extent = note.get_window_extent()
        assert figure.x0 <= extent.x0 and extent.x1 <= figure.x1
        assert figure.y0 <= extent.y0 and extent.y1 <= figure.y1


def test_a_dollar_sign_is_no_formula():
    ax = plot_tape(lambda p: p["$a$ \\frac"] * 2.0, {"$a$ \\frac": 1.0})
    ax.figure.canvas.draw()
    assert texts(ax)[0] == "$a$ \\frac"
    ax = plot_tape(lambda x: {"$a": x * 2.0, "b$": x * 3.0}, 1.0)
    assert not ax.texts[-1].get_parse_math()


def test_is_opaque_and_light():
    figure = diamond().figure
    assert figure.get_facecolor() == (1.0, 1.0, 1.0, 1.0)


@pytest.mark.parametrize("seed", range(8))
def test_layout_of_random_graphs_goes_forwards_and_keeps_apart(seed):
    random = np.random.RandomState(seed)
    count = int(random.randint(5, 30))
    is_source = [i < 3 for i in range(count)]
    edges_ = sorted(
        {(int(random.randint(max(b - 8, 0), b)), b) for b in range(3, count) for _ in range(2)}
    )
    sizes = [tuple(random.uniform((50, 40), (200, 90))) for _ in range(count)]
    items = [
        Item(size, (40.0, 22.0), source) for size, source in zip(sizes, is_source, strict=True)
    ]
    layout = Layout(items, edges_)
    assert set(layout.lines) == set(edges_)
    placed = [place for place in layout.boxes if place.card is not None]
    assert {place.card for place in placed} == set(range(count))
    for i, p in enumerate(placed):
        assert p.x + p.width / 2 <= layout.width + 1e-6
        assert p.y + p.height / 2 <= layout.height + 1e-6
        for q in placed[:i]:
            dx, dy = abs(p.x - q.x), abs(p.y - q.y)
            assert dx >= (p.width + q.width) / 2 - 1e-6 or dy >= (p.height + q.height) / 2 - 1e-6
    layer = {place.card: place.layer for place in placed if place.kind != "repeat"}
    assert all(layer[a] < layer[b] or is_source[a] for a, b in edges_)
