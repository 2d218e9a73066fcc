"""What the figures drew, read from their Axes without an image."""

import os
from base64 import b64decode
from io import BytesIO
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import nbclient
import nbformat
import numpy as np
import pytest
from PIL import Image

from course_utils import (
    plot_error_curve,
    plot_gradient_norms,
    plot_history,
    plot_loss_surface,
    plot_tape,
    show_images,
)
from course_utils.figures.in_notebooks import _picture, figure_in_words
from gradient_tools.showing.palette import COLORS, as_text

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def annotations(ax):
    return [text.get_text() for text in ax.texts]


def no_two_overlap(ax):
    boxes = [text.get_window_extent() for text in ax.texts]
    return not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


FIGURES = [
    (plot_gradient_norms, ({"a": [1.0, 2.0]},)),
    (plot_error_curve, ([0.1, 0.01], {"forward": [0.1, 0.01]})),
    (plot_history, ({"loss": [1.0, 0.5]},)),
    (plot_loss_surface, (lambda x, y: x**2 + y**2, (-1, 1), (-1, 1))),
    (show_images, (np.zeros((2, 4, 4)),)),
]


@pytest.mark.parametrize(("draw", "arguments"), FIGURES)
def test_takes_and_returns_an_axes_and_shows_nothing(draw, arguments, monkeypatch):
    monkeypatch.setattr(plt, "show", lambda: pytest.fail("show() was called"))
    _, ax = plt.subplots()
    assert draw(*arguments, ax=ax) is ax
    own = draw(*arguments)
    assert own.figure is not ax.figure
    if draw is not show_images:
        assert own.figure.get_facecolor() == (1.0, 1.0, 1.0, 1.0)  # opaque in a dark notebook
        assert own.get_xlabel() and own.get_ylabel()


def test_gradient_norms():
    ax = plot_gradient_norms({"dense": [1.0, 0.1, 0.01], "head/kernel": [3.0, None, 0.0]})
    dense, head = ax.lines
    assert ax.get_yscale() == "log" and (ax.get_xlabel(), ax.get_ylabel())[0] == "step"
    np.testing.assert_array_equal(dense.get_xdata(), [0, 1, 2])
    np.testing.assert_array_equal(dense.get_ydata(), [1.0, 0.1, 0.01])
    np.testing.assert_array_equal(head.get_ydata(), [3.0, np.nan, np.nan])
    (crosses,) = ax.collections  # the zero is a cross, the None is nothing
    np.testing.assert_array_equal(crosses.get_offsets(), [[2.0, 0.0]])
    assert annotations(ax) == ["dense", "head/kernel"] and ax.get_legend() is None
    assert dense.get_color() != head.get_color()
    assert dense.get_linestyle() != head.get_linestyle()  # never by colour alone


def test_labels_of_lines_that_end_together_do_not_overlap():
    ax = plot_gradient_norms({f"layer {i}": [1.0, 1e-3 * (1 + i / 100)] for i in range(6)})
    ax.figure.canvas.draw()
    assert len(ax.texts) == 6 and no_two_overlap(ax)


def test_gradient_norms_of_nothing():
    with pytest.raises(ValueError, match="norms is empty"):
        plot_gradient_norms({})


def test_error_curve_and_its_slopes():
    h = 10.0 ** -np.arange(1, 6)
    ax = plot_error_curve(
        h, {"forward": h / 2, "central": -(h**2) / 6}, orders={"forward": 1, "central": 2}
    )
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    forward, central, *guides = ax.lines
    np.testing.assert_allclose(central.get_ydata(), h**2 / 6)
    for line, guide, order in zip((forward, central), guides, (1, 2), strict=True):
        np.testing.assert_allclose(guide.get_ydata(), line.get_ydata())
        slope = np.polyfit(np.log(guide.get_xdata()), np.log(guide.get_ydata()), 1)[0]
        np.testing.assert_allclose(slope, order, atol=1e-9)
    assert annotations(ax) == ["central", "forward", "slope 1", "slope 2"]


def test_error_of_zero_is_a_cross():
    ax = plot_error_curve([0.1, 0.01], {"central": [1e-3, 0.0]})
    np.testing.assert_array_equal(ax.collections[0].get_offsets(), [[0.01, 0.0]])


def test_history_of_training_and_validation():
    ax = plot_history(
        {"accuracy": [0.5, 0.7], "val_accuracy": [0.4, 0.6], "loss": [1, 2]}, "accuracy"
    )
    training, validation = ax.lines
    np.testing.assert_array_equal(training.get_xdata(), [1, 2])
    np.testing.assert_array_equal(validation.get_ydata(), [0.4, 0.6])
    assert set(annotations(ax)) == {"training", "validation"} and ax.get_ylabel() == "accuracy"
    assert training.get_linestyle() != validation.get_linestyle()


def test_history_object_without_validation():
    class History:
        history = {"loss": [1.0, 0.5, 0.2]}

    ax = plot_history(History())
    assert [line.get_label() for line in ax.lines] == ["training"]


def test_history_lists_what_it_holds():
    with pytest.raises(KeyError, match="does not contain 'accuracy', only loss"):
        plot_history({"loss": [1.0]}, "accuracy")


def test_loss_surface_and_path():
    path = [(2.0, 1.0), (0.5, 0.2), (0.0, 0.0)]
    ax = plot_loss_surface(
        lambda w, b: w**2 + 4 * b**2, (-2, 2), (-1, 1), path=path, labels=("weight", "bias")
    )
    np.testing.assert_array_equal(np.column_stack(ax.lines[0].get_data()), path)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("weight", "bias")
    assert (ax.get_xlim(), ax.get_ylim()) == ((-2, 2), (-1, 1))
    assert {"start", "end"} <= set(annotations(ax))
    lines = ax.collections[-1]  # on a contour of level c, w² + 4 b² is c
    for level, outline in zip(lines.levels, lines.get_paths(), strict=True):
        if len(outline.vertices):
            w, b = outline.vertices.T
            np.testing.assert_allclose(w**2 + 4 * b**2, level, rtol=0.05, atol=0.01)


def test_constant_loss_and_loss_with_holes():
    plot_loss_surface(lambda x, y: 1.0, (-1, 1), (-1, 1), points=5)
    plot_loss_surface(lambda x, y: np.nan if x < 0 else x, (-1, 1), (-1, 1), points=5)
    with pytest.raises(ValueError, match="not finite anywhere"):
        plot_loss_surface(lambda x, y: np.inf, (-1, 1), (-1, 1), points=5)


def test_heights_of_contours_have_two_digits_and_no_exponent():
    ax = plot_loss_surface(lambda x, y: 4000 * (x**2 + y**2), (-1, 1), (-1, 1))
    heights = [text.get_text() for text in ax.texts]
    assert heights and not any("e" in height for height in heights)
    assert any(float(height) > 100 for height in heights)


def test_loss_surface_refuses_another_shape_of_path():
    with pytest.raises(ValueError, match=r"\(2, 3\), but it must have shape \(steps, 2\)"):
        plot_loss_surface(lambda x, y: x, (0, 1), (0, 1), path=np.zeros((2, 3)), points=3)


@pytest.mark.parametrize("shape", [(5, 4, 4), (5, 4, 4, 1), (5, 4, 4, 3)])
def test_images_with_right_and_wrong(shape):
    images = np.linspace(0, 1, int(np.prod(shape))).reshape(shape)
    ax = show_images(images, [7, 1, 2, 3, 4], [7, 1, 9, 3, 0], columns=3)
    assert annotations(ax) == ["7 ✓", "1 ✓", "9 ✗ is 2", "3 ✓", "0 ✗ is 4"]
    assert len(ax.images) == 5 and len(ax.patches) == 2
    np.testing.assert_array_equal(ax.images[2].get_array(), np.squeeze(images[2]))
    lefts = [image.get_extent()[0] for image in ax.images]
    assert lefts[0] == lefts[3] and lefts[1] == lefts[4] and len(set(lefts)) == 3
    assert ax.patches[0].get_xy() == (lefts[2], ax.images[2].get_extent()[3])
    assert no_two_overlap(ax)


def test_images_share_one_scale_of_grey():
    ax = show_images(np.stack([np.zeros((2, 2)), np.full((2, 2), 255.0)]))
    assert [image.get_clim() for image in ax.images] == [(0, 255), (0, 255)]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((np.zeros((4, 4)),), r"shape \(4, 4\)"),
        ((np.zeros((2, 4, 4)), [1]), "2 images, but 1 labels"),
        ((np.zeros((2, 4, 4)), None, [1, 2]), "predictions without labels"),
    ],
)
def test_images_that_do_not_fit(arguments, says):
    with pytest.raises(ValueError, match=says):
        show_images(*arguments)


def test_between_images_shows_the_page_and_other_figures_have_their_paper():
    corners = []
    for ax in (show_images(np.ones((2, 4, 4)), [1, 2]), plot_history({"loss": [1.0, 0.5]})):
        shown, _ = _picture(ax.figure)
        image = Image.open(BytesIO(b64decode(shown["image/png"]))).convert("RGBA")
        corners.append(image.getpixel((0, 0)))
    assert [corner[3] for corner in corners] == [0, 255] and corners[1][:3] == (255, 255, 255)


def test_a_figure_says_what_is_drawn_in_it():
    ax = plot_error_curve([0.1, 0.01], {"forward": [0.05, 0.005]}, orders={"forward": 1})
    words = figure_in_words(ax.figure)
    assert words.startswith("Figure of absolute error against step h. Scales: x log, y log.")
    assert "Line forward from (0.1, 0.05) to (0.01, 0.005)." in words and "slope 1" in words
    images = show_images(np.zeros((2, 4, 4)), [7, 1], [7, 2])
    assert figure_in_words(images.figure) == "2 images. Texts: 7 ✓, 2 ✗ is 1."
    tape = plot_tape(lambda x: x**2, 3.0)
    assert "Source x is 3.0; ∂y/∂x = 6.0." in figure_in_words(tape.figure)


@pytest.mark.parametrize("nothing", [False, True])
@pytest.mark.parametrize(
    "draw",
    [
        lambda ax, x: ax.scatter(x, x),
        lambda ax, x: ax.bar(x, x),
        lambda ax, x: ax.quiver(x, x, x, x),
        lambda ax, x: ax.plot(x, x),
    ],
)
def test_axes_on_which_nothing_is_drawn_say_so(draw, nothing):
    figure, (ax, unused) = plt.subplots(2)
    unused.set_axis_off()
    draw(ax, np.array([] if nothing else [1.0, 2.0]))
    assert ("Nothing is drawn." in figure_in_words(figure)) == nothing


def test_every_figure_has_words():
    for draw, arguments in FIGURES:
        assert figure_in_words(draw(*arguments).figure), draw


def test_a_notebook_shows_figures_sharp_small_and_with_words(kernel_settings):
    cells = [
        "import numpy as np\nfrom course_utils import plot_history, start_lesson\n"
        'start_lesson("00")',
        'ax = plot_history({"loss": [1.0, 0.5]})',
        "import matplotlib.pyplot as plt\nplt.plot([1.0, 2.0]);",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
    root = {"metadata": {"path": str(Path(__file__).parents[2])}}
    in_lab = os.environ | {"JPY_SESSION_NAME": "notebooks/01.ipynb"}
    client = nbclient.NotebookClient(notebook, timeout=100, config=kernel_settings, resources=root)
    client.execute(env=in_lab)
    for cell, words in zip(
        notebook.cells[1:], ("Line training from (1, 1) to (2, 0.5)", "Line from"), strict=True
    ):
        (output,) = [each for each in cell.outputs if "image/png" in each.get("data", {})]
        about = output.metadata["image/png"]
        assert words in about["alt"] and f'alt="{about["alt"]}"' in output.data["text/html"]
        png = b64decode(output.data["image/png"])
        width = int.from_bytes(png[16:20], "big")
        assert width // 2 == about["width"] and len(png) < 40_000


def test_words_in_a_colour_of_the_palette_can_be_read_on_white():
    """The contrast of WCAG 2: 4.5 to 1 for text, 3 to 1 for what is drawn with it."""

    def brightness(colour):
        parts = np.array(matplotlib.colors.to_rgb(colour))
        linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
        return linear @ [0.2126, 0.7152, 0.0722] + 0.05

    for colour in COLORS:
        assert brightness("white") / brightness(as_text(colour)) > 4.5
    for colour in COLORS[:5]:  # as many lines as a figure has
        assert brightness("white") / brightness(colour) > 3
