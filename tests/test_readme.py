"""That the examples of the README, and of the tools' own page, give what stands there."""

import doctest
import re
from pathlib import Path

import pytest

from course_utils.workspace.curriculum import LESSONS, ONE_DAY, find_lesson

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(("page", "examples"), [("README.md", 6), ("docs/gradient_tools.md", 18)])
def test_the_examples_of_the_pages(page, examples):
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    result = doctest.testfile(str(ROOT / page), module_relative=False, optionflags=options)
    assert result.attempted >= examples and result.failed == 0


def test_what_the_readme_shows_and_links_to_is_there_and_said_in_words():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    targets = re.findall(r'\]\(([^)#]+)[^)]*\)|(?:src|srcset)="([^"]+)"', text)
    files = [a or b for a, b in targets if not (a or b).startswith("https://")]
    assert [file for file in files if not (ROOT / file).exists()] == []
    assert len(re.findall(r'<img [^>]*alt="[^"]{40,}"', text)) == text.count("<img ") >= 1


def test_the_wrong_answer_of_the_readme_gets_the_message_that_stands_below_it():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"^```python\n(def .*?)\n```", readme, re.M | re.S)
    (message,) = re.findall(r"^```text\n✗ [^\n]*\n(.*?)\n```", readme, re.M | re.S)
    shown = (ROOT / "docs" / "pictures" / "wrong_answer.md").read_text(encoding="utf-8")
    assert " ".join(code.split()) in " ".join(shown.split())
    assert re.sub(r"`([^`]*)`", r"<code>\1</code>", message) in shown


def test_the_readme_links_each_lesson_once():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    names = [path.name for path in (ROOT / "notebooks").glob("*.ipynb")]
    assert sorted(re.findall(r"\(notebooks/([^)]+)\)", text)) == sorted(names)


def all_that(number):
    """Return a lesson's number with those of all that it builds on."""
    return {number}.union(*map(all_that, find_lesson(number).needs))


def hours_of(numbers):
    return round(sum(find_lesson(number).minutes for number in numbers) / 60)


def minutes_in(row, number):
    """Return the numbers of minutes in a lesson's row: `45`, `45 + 20` or `45 minutes`."""
    cells = [cell.strip() for cell in row.strip().strip("|").split("|")]
    if cells[0] == number:
        del cells[0]
    times = [cell for cell in cells if re.fullmatch(r"\d+(\s*\+\s*\d+)?( min(utes)?)?", cell)]
    return [int(time) for cell in times for time in re.findall(r"\d+", cell)]


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.number)
def test_the_readme_gives_each_lesson_the_minutes_that_are_computed(lesson):
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    (row,) = [line for line in lines if f"(notebooks/{lesson.name}.ipynb)" in line]
    shown = minutes_in(row, lesson.number)
    assert shown == [lesson.minutes] or shown == [lesson.minutes, lesson.deeper_minutes]


def paths():
    """Return each row of *Which lessons do I need?*: the goal, the lessons and the hours."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    section = text[text.index("## Which lessons do I need?") : text.index("## The tools")]
    rows = re.findall(r"^\| ([^|]+) \| ([\d, to]+) \| (\d+) \|$", section, re.M)
    ranges = [[step.split(" to ") for step in lessons.split(", ")] for _, lessons, _ in rows]
    return [
        (goal, {f"{i:02}" for ends in steps for i in range(int(ends[0]), int(ends[-1]) + 1)}, hours)
        for (goal, _, hours), steps in zip(rows, ranges, strict=True)
    ]


def test_the_readme_counts_the_lessons():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"{len(LESSONS)} notebooks" in text
    hours = hours_of({lesson.number for lesson in LESSONS})
    assert f"all {len(LESSONS)} lessons take about {hours} hours" in " ".join(text.split())


def test_the_hours_of_each_path_are_those_of_its_lessons():
    assert [goal for goal, numbers, hours in paths() if int(hours) != hours_of(numbers)] == []


def test_the_first_path_is_the_course_in_a_day_as_the_map_shows_it():
    goal, numbers, _ = paths()[0]
    assert goal == "take the course in a day" and sorted(numbers) == sorted(ONE_DAY)


def test_every_other_path_holds_what_its_last_lesson_builds_on_and_no_more():
    others = paths()[1:]
    assert len(others) > 3
    assert [goal for goal, numbers, _ in others if numbers != all_that(max(numbers))] == []
