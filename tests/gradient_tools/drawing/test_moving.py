"""The moving drawing: its steps, its numbers, what shows when, and what stands without a script."""

import re
from html import unescape
from xml.etree import ElementTree

import numpy as np
import pytest
import tensorflow as tf

from gradient_tools import play_tape, record_tape
from gradient_tools.drawing.moving import DIMMED
from gradient_tools.drawing.vector import DARK, LIGHT
from gradient_tools.showing.palette import BLUE, GREEN, VERMILLION

SVG = "{http://www.w3.org/2000/svg}"


def plain(html):
    """Return a step's text, the cells of its table apart."""
    return unescape(re.sub(r"<[^>]+>", " ", html.replace("</td>", " | "))).split()


def said(moving, start):
    return [" ".join(plain(step.html)) for step in moving.steps if start in step.html]


def two_ways(x):
    square = x * x
    return square + tf.sin(x)


def test_goes_forward_in_the_order_of_computing_then_back_in_the_other():
    moving = play_tape(two_ways, 2.0)
    heads = [re.search("<strong>(.*?)</strong> (.*?)[ .]", step.html)[1] for step in moving.steps]
    assert heads == [
        "Before the first operation.",
        *(f"Forward, {i} of 3." for i in (1, 2, 3)),
        "The turn.",
        *(f"Back, {i} of 3." for i in (1, 2, 3)),
    ]
    cards = [step.card for step in moving.steps]
    assert cards[5:] == cards[3:0:-1]


def test_each_step_back_shows_arrived_slope_product_sum_and_line():
    moving = play_tape(two_ways, 2.0)
    back = said(moving, "Back,")
    assert "y = x * x" not in back[0] and "return square + tf.sin(x)" in back[0]
    assert back[1].endswith("x −0.4161 |".replace("x ", "x 1.0 | −0.4161 | −0.4161 | "))
    assert "square = x * x" in back[2]
    assert back[2].endswith("x 1.0 | 4.0 | 4.0 | 3.584 |")  # 2x, and 2x + cos x


def test_a_lost_path_ends_with_its_cause():
    moving = play_tape(lambda x: tf.round(x) + x, 2.3)
    assert said(moving, "✗")[0].endswith("x ✗ Round has no gradient. |")
    (end,) = [each for each in ElementTree.fromstring(moving.svg).iter() if each.text == "✗"]
    lost_at = next(i for i, step in enumerate(moving.steps) if "✗" in step.html)
    assert int(end.get("data-at")) == lost_at
    stopped = play_tape(lambda x: tf.stop_gradient(x) * x, 2.0)
    assert "passes the value but not" in said(stopped, "✗")[0]
    frozen = tf.Variable(2.0, trainable=False, name="frozen")
    assert "frozen is not watched" in said(play_tape(lambda x: x * frozen, 1.5), "✗")[0]
    whole = tf.constant([0, 1])
    gathered = play_tape(
        lambda x, i: tf.reduce_sum(tf.gather(x, i)), tf.constant([1.0, 2.0]), whole
    )
    assert "int32 values have no gradient" in said(gathered, "✗")[0]


def test_a_path_without_any_gradient_has_no_step_of_its_own():
    moving = play_tape(lambda x: tf.stop_gradient(tf.sin(x)) + x, 2.3)
    assert len(said(moving, "Forward,")) == 3 and len(said(moving, "Back,")) == 1
    inside = play_tape(lambda x: tf.stop_gradient(tf.sin(x)) * 2.0 + x, 2.3)
    assert "stop_gradient passes the value" in said(inside, "✗")[0]


@pytest.mark.parametrize(
    ("f", "inputs"),
    [
        (two_ways, (2.0,)),
        (lambda x, w: tf.reduce_mean((x @ w - 1.0) ** 2), (np.eye(4, 3), np.ones((3, 1)))),
        (lambda x: tf.nn.softmax(x)[0], (np.array([1.0, 2.0]),)),
        (lambda x: tf.reduce_sum(tf.gather(x, [0, 0, 2]) ** 3), (np.array([1.0, 2.0, 3.0]),)),
        (lambda x: tf.unstack(x * x)[1] * x[0], (np.array([1.0, 2.0]),)),
    ],
)
def test_what_is_passed_on_adds_up_to_the_gradient_and_slopes_multiply(f, inputs):
    recording = record_tape(f, *inputs)
    sums = {}
    for operation in recording.operations:
        for place, position in enumerate(operation.inputs):
            passed, slope = operation.passed_on[place], operation.slopes[place]
            if passed is not None:
                sums[position] = sums.get(position, 0.0) + passed
            if slope is not None and len(operation.outputs) == 1:
                arrived = recording.values[operation.outputs[0]].gradient
                np.testing.assert_allclose(arrived * slope, passed, rtol=1e-5)
    assert set(recording.sources) <= set(sums)
    for position, total in sums.items():
        if recording.values[position].gradient is not None and position not in recording.targets:
            np.testing.assert_allclose(total, recording.values[position].gradient, rtol=1e-5)


def test_a_matrix_product_has_no_slope_of_one_number_an_entry():
    (product, *_) = record_tape(lambda a, b: a @ b, np.ones((2, 3)), np.ones((3, 2))).operations
    assert product.slopes == (None, None) and product.passed_on[0].shape == (2, 3)
    square = play_tape(lambda a: tf.reduce_sum(a @ a), np.ones((2, 2)))
    assert "Jacobian, (2, 2) by (2, 2)" in said(square, "Jacobian")[0]


def test_a_gradient_of_ones_makes_no_matrix_look_like_single_slopes():
    operations = record_tape(lambda x: tf.cumsum(x), np.ones(3)).operations
    assert operations[0].slopes == (None,)


def test_nothing_shows_before_its_step_and_everything_at_the_end():
    moving = play_tape(two_ways, 2.0)
    root = ElementTree.fromstring(moving.svg)
    at = {
        unescape(card.get("aria-label")).split(":")[0]: (
            int(card.get("data-at")),
            int(card.find(f"{SVG}g").get("data-at")),
        )
        for card in root.iter(f"{SVG}g")
        if "card" in card.get("class", "").split()
    }
    # Computed at, and whole gradient there at.
    assert at == {"x": (0, 7), "x × x": (1, 5), "sin": (2, 5), "y = add": (3, 4)}
    last = len(moving.steps) - 1
    assert all(int(each.get("data-at", 0)) <= last for each in root.iter())


def test_title_and_description_are_made_from_the_graph():
    moving = play_tape(lambda x: tf.round(x) + x, 2.3)
    root = ElementTree.fromstring(moving.svg)
    assert root.find(f"{SVG}title").text == "Tape of y: 2 operations"
    words = root.find(f"{SVG}desc").text
    assert words == moving.description == repr(moving)
    assert "Source x is 2.3; ∂y/∂x = 1.0." in words and "passes no gradient" in words
    assert "shape (), float32" in moving.svg


def test_is_self_contained_and_the_same_each_time():
    pages = [play_tape(two_ways, 2.0)._repr_html_() for _ in range(2)]
    assert pages[0] == pages[1]
    assert not re.findall(r"https?://(?!www\.w3\.org)", pages[0])
    assert 'src="data:image/svg+xml;base64,' in pages[0] and "<script>" in pages[0]
    assert not re.findall(r'\bid="', pages[0])


def test_without_the_script_there_are_no_controls_but_picture_words_and_steps():
    moving = play_tape(two_ways, 2.0)
    page = re.sub(r"<script>.*</script>", "", moving._repr_html_(), flags=re.DOTALL)
    assert "<button" not in page and page.count("<li") == len(moving.steps)
    assert f'alt="{moving.description}"' in page


def test_stays_small_with_forty_boxes():
    def loop(x, w):
        for _ in range(19):
            x = tf.tanh(x * w)
        return x

    assert len(play_tape(loop, 0.5, 1.5)._repr_html_()) < 200_000


def test_names_are_escaped():
    page = play_tape(lambda p: p["<b>&"] * 2.0, {"<b>&": 1.0})._repr_html_()
    assert "<b>" not in page and "&lt;b&gt;&amp;" in page


def luminance(colour):
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return np.dot([0.2126, 0.7152, 0.0722], linear)


def mixed(colour, part, other):
    pairs = [(int(colour[i : i + 2], 16), int(other[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(a * part + b * (1 - part)):02x}" for a, b in pairs)


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize(
    ("ink", "paper", "grey", "dimmed"), [(*LIGHT, DIMMED[0]), (*DARK, DIMMED[1])]
)
def test_texts_and_lines_stand_out_in_both_themes(ink, paper, grey, dimmed):
    strip, text = mixed(VERMILLION, 0.14, paper), mixed(VERMILLION, 0.62, ink)
    assert contrast(text, strip) > 4.5
    assert contrast(ink, mixed(GREEN, 0.12, paper)) > 4.5
    assert contrast(grey, mixed(grey, 0.12, paper)) > 4.5  # what passes no gradient
    assert min(contrast(colour, paper) for colour in (BLUE, GREEN)) > 3.0
    still_to_come = mixed(ink, dimmed / 100, paper)
    assert contrast(still_to_come, paper) > 4.5
    assert contrast(ink, still_to_come) > 2  # so that what was computed stands out
