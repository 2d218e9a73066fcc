"""The map: boxes apart, arrows downwards that meet no box, and heads that can be seen."""

import numpy as np
import pytest
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from course_utils import plot_lesson_map
from course_utils.figures.in_notebooks import figure_in_words
from course_utils.workspace.curriculum import LESSONS, ONE_DAY, find_lesson


@pytest.fixture(scope="module")
def drawn():
    ax = plot_lesson_map()
    boxes = [patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]
    arrows = [patch for patch in ax.patches if isinstance(patch, FancyArrowPatch)]
    labels = [text.get_text() for text in ax.texts if text.get_text()[:2].isdigit()]
    numbers = [label[:2] for label in labels]
    return dict(zip(numbers, boxes, strict=True)), [_corners(arrow) for arrow in arrows]


def _corners(arrow):
    return np.asarray(arrow._path_original.vertices)


def _edges(box):
    x, y = box.get_x(), box.get_y()
    return x, x + box.get_width(), y, y + box.get_height()


def _holds(box, point, margin=1e-6):
    left, right, low, high = _edges(box)
    return left + margin < point[0] < right - margin and low + margin < point[1] < high - margin


def test_every_lesson_is_a_box_and_every_need_an_arrow_between_their_edges(drawn):
    boxes, arrows = drawn
    assert list(boxes) == [lesson.number for lesson in LESSONS]
    needs = [(needed, lesson.number) for lesson in LESSONS for needed in lesson.needs]
    assert len(arrows) == len(needs)
    for (start, end), corners in zip(needs, arrows, strict=True):
        middle = [sum(_edges(boxes[n])[:2]) / 2 for n in (start, end)]
        assert corners[0] == pytest.approx([middle[0], _edges(boxes[start])[2]])
        assert corners[-1] == pytest.approx([middle[1], _edges(boxes[end])[3]])


def test_arrows_run_downwards_and_meet_no_box(drawn):
    boxes, arrows = drawn
    for corners in arrows:
        assert np.all(np.diff(corners[:, 1]) < 0)
        for start, end in zip(corners[:-1], corners[1:], strict=True):
            points = start + np.linspace(0, 1, 201)[:, None] * (end - start)
            assert not any(_holds(box, point) for box in boxes.values() for point in points)


def test_no_two_boxes_overlap(drawn):
    boxes = list(drawn[0].values())
    for i, box in enumerate(boxes):
        left, right, low, high = _edges(box)
        for other in boxes[:i]:
            a, b, c, d = _edges(other)
            assert right <= a or b <= left or high <= c or d <= low


def test_the_course_in_a_day_has_thick_outlines(drawn):
    widths = {number: box.get_linewidth() for number, box in drawn[0].items()}
    thin = {number for number in widths if widths[number] == min(widths.values())}
    assert thin == widths.keys() - set(ONE_DAY)


def test_a_lesson_builds_on_earlier_ones():
    for lesson in LESSONS:
        assert all(find_lesson(number).number < lesson.number for number in lesson.needs)


def test_every_lesson_has_exercises_with_its_number():
    for lesson in LESSONS:
        ids = sorted(exercise.id for exercise in lesson.exercises())
        assert ids == [f"{lesson.number}.{n}" for n in range(1, len(ids) + 1)]


def test_the_map_says_in_words_what_builds_on_what():
    words = figure_in_words(plot_lesson_map().figure)
    assert words.startswith("Map of the lessons. 00 Start here. 01 The first tape builds on 00.")
