from course_utils import plot_lesson_map
from course_utils.course.curriculum import LESSONS, find_lesson, written_lessons


def test_every_lesson_is_a_box_in_its_place_and_every_need_an_arrow():
    ax = plot_lesson_map()
    labels = [text.get_text() for text in ax.texts if text.get_text()[:2].isdigit()]
    assert [label[:2] for label in labels] == [lesson.number for lesson in LESSONS]
    arrows = [text for text in ax.texts if text.get_text() == "" and text.arrow_patch]
    assert len(arrows) == sum(len(lesson.needs) for lesson in LESSONS)


def test_lessons_to_come_are_told_apart_without_colour():
    ax = plot_lesson_map()
    dashed = [patch.get_linestyle() == "--" for patch in ax.patches[: len(LESSONS)]]
    assert dashed == [not lesson.is_written for lesson in LESSONS]
    has_note = any("still to come" in text.get_text() for text in ax.texts)
    assert has_note == any(dashed)


def test_a_lesson_builds_on_earlier_ones():
    for lesson in LESSONS:
        assert all(find_lesson(number).number < lesson.number for number in lesson.needs)


def test_every_written_lesson_has_exercises_with_its_number():
    for lesson in written_lessons():
        ids = [exercise.id for exercise in lesson.exercises()]
        assert ids == [f"{lesson.number}.{n}" for n in range(1, len(ids) + 1)]
