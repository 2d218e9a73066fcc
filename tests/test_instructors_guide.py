"""That the pages for instructors are true: their lessons, plans, commands and links."""

import re
import shlex
from pathlib import Path

import pytest
import typer

from course_staff.authoring.build import Folders, read_lessons
from course_staff.classroom.judging.notebook_verdicts import OUTCOMES
from course_staff.classroom.release.student_files import release_files
from course_utils.cli import app
from course_utils.workspace.curriculum import LESSONS, ONE_DAY, find_lesson

ROOT = Path(__file__).parents[1]
NAMES = ("instructors.md", "common_mistakes.md", "grading_reference.md", "cluster.md")
PAGES = {name: (ROOT / "docs" / name).read_text(encoding="utf-8") for name in NAMES}
GUIDE, MISTAKES = PAGES["instructors.md"], PAGES["common_mistakes.md"]
TEXT = "\n".join(text for name, text in PAGES.items() if name != "cluster.md")
# Of click, which some versions of typer bring along under another name.
UsageError = typer.BadParameter.__base__
COMMANDS = typer.main.get_command(app).commands

BLOCKS = re.findall(r"^```\n(.*?)^```", TEXT, re.M | re.S)
LINES = [line for block in BLOCKS for line in block.replace("\\\n", " ").splitlines()]
INLINE = re.findall(r"`([^`\n]+)`", re.sub(r"^```\n.*?^```", "", TEXT, flags=re.M | re.S))
# `course grade` alone names a command; a line in a block is one that is typed.
NAMED = [words for words in INLINE if re.match(r"(\S*/)?course [a-z]", words)]


def problem(line):
    """Return what `course` would say against a command line, or None."""
    words = shlex.split(line, comments=True)
    command = COMMANDS.get(words[1])
    if command is None:
        return f"there is no command {words[1]}"
    try:
        command.make_context(words[1], words[2:])
    except UsageError as error:
        return error.format_message()
    return None


def plans():
    """Return the rows of each plan's table: the lessons' numbers and the minutes."""
    tables = re.findall(r"^\| when \|.*\n\|[-|]+\n((?:\|.*\n)+)", GUIDE, re.M)
    return [re.findall(r"^\| [^|]+ \| ([\d, ]+) \| (\d+) \|$", table, re.M) for table in tables]


def section_of(number):
    found = re.search(rf"^## {number} · (.*)\n((?:(?!^##).*\n)*)", MISTAKES, re.M)
    return found and (found[1], found[2])


def test_every_lesson_has_its_row_and_no_other():
    row = r"^\| (\d\d) \| \[(.+)\]\((.+)\) \| ([\d, ]*?) ?\| (\d+) \| (\d+) \| (\d*) ?\|$"
    rows = re.findall(row, TEXT, re.M)
    assert rows == [
        (
            lesson.number,
            lesson.title,
            f"../notebooks/{lesson.name}.ipynb",
            ", ".join(lesson.needs),
            str(sum(exercise.points for exercise in lesson.exercises())),
            str(lesson.minutes),
            str(lesson.deeper_minutes or ""),
        )
        for lesson in LESSONS
    ]


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_a_lesson_has_its_mistakes_a_question_and_an_experiment(lesson):
    heading = f"## {lesson.number} · {lesson.title}"
    section = section_of(lesson.number)
    assert section, f"docs/common_mistakes.md has no section {heading}"
    title, text = section
    assert title == lesson.title
    assert 2 <= len(re.findall(r"^- ", text, re.M)) <= 3, f"two or three mistakes under {heading}"
    assert text.count("**Ask**") == text.count("**Show**") == 1
    known = {exercise.id for exercise in lesson.exercises()}
    named = set(re.findall(r"\b\d\d\.\d\b", text))
    assert named and named <= known


def test_a_plan_names_lessons_in_an_order_that_builds_up_and_adds_them_right():
    assert len(plans()) >= 2
    for plan in plans():
        taken = [number for numbers, _ in plan for number in numbers.split(", ")]
        # What stands before its first lesson has been done.
        first = plan[0][0].split(", ")[0]
        done = [f"{number:02d}" for number in range(int(first))]
        for numbers, minutes in plan:
            day = [find_lesson(number) for number in numbers.split(", ")]
            assert sum(lesson.minutes for lesson in day) == int(minutes)
            for lesson in day:
                left_out = set(ONE_DAY) == set(taken)  # of the course in a day, on purpose
                assert left_out or set(lesson.needs) <= set(done), lesson.number
                done.append(lesson.number)


def test_the_lessons_of_a_day_fit_into_their_hours():
    slots = re.findall(r"^\| (\d+):(\d+)–(\d+):(\d+) \| [\d, ]+ \| (\d+) \|$", GUIDE, re.M)
    assert len(slots) > 3
    for *clock, minutes in slots:
        start_hour, start, end_hour, end = map(int, clock)
        assert 60 * (end_hour - start_hour) + end - start == int(minutes), clock


def test_the_first_plan_is_the_course_in_a_day():
    assert tuple(", ".join(numbers for numbers, _ in plans()[0]).split(", ")) == ONE_DAY


@pytest.mark.parametrize("line", [line for line in LINES if line.startswith("course ")])
def test_a_command_line_is_one_that_course_takes(line):
    assert problem(line) is None


@pytest.mark.parametrize("words", NAMED)
def test_a_command_that_is_named_exists(words):
    assert words.split()[1] in COMMANDS


def test_the_commands_are_looked_for_at_all():
    assert "course grade" in NAMED
    assert len([line for line in LINES if line.startswith("course ")]) >= 3
    assert "no command" in problem("course grad ../x")
    assert "No such option" in problem("course grade ../x --out y --workers 2")
    assert "Missing option" in problem("course grade ../x")


def test_an_option_that_is_named_exists():
    options = {option for c in COMMANDS.values() for p in c.params for option in p.opts}
    options |= {option for c in COMMANDS.values() for p in c.params for option in p.secondary_opts}
    named = [words.split()[0] for words in INLINE if words.startswith("--")]
    assert len(named) >= 3 and set(named) <= options


def test_other_commands_have_what_they_name():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    everything = "\n".join([*LINES, *INLINE])
    for target in re.findall(r"\bmake (\w[\w-]*)", everything):
        assert re.search(rf"^{target}:", makefile, re.M), target
    for name in re.findall(r"-r (\S+)", everything):
        assert (ROOT / name).is_file(), name
    for extras in re.findall(r"\[([a-z,]+)\]\"", everything):
        for extra in extras.split(","):
            assert re.search(rf"^{extra} = \[", project, re.M), extra


def test_every_environment_variable_is_one_that_is_read():
    source = "\n".join(path.read_text("utf-8") for path in (ROOT / "course_utils").rglob("*.py"))
    named = set(re.findall(r"\bCOURSE_[A-Z_]+", TEXT))
    assert named and all(f'"{name}"' in source for name in named)


def test_every_outcome_of_grading_is_explained():
    table = GUIDE[GUIDE.index("| outcome |") :]
    assert tuple(re.findall(r"^\| ([a-z ]+) \|", table, re.M)[1 : len(OUTCOMES) + 1]) == OUTCOMES


def test_its_links_lead_somewhere_and_the_readme_leads_to_it():
    def anchors(text):
        headings = re.findall(r"^#+ (.*)$", text, re.M)
        return {re.sub(r"[^\w -]", "", each.lower()).replace(" ", "-") for each in headings}

    for name, text in PAGES.items():
        links = re.findall(r"\]\(([^)]+)\)", text)
        for link in (each for each in links if not each.startswith("https://")):
            file, _, anchor = link.partition("#")
            target = ROOT / "docs" / (file or name)
            assert target.is_file(), link
            assert not anchor or anchor in anchors(target.read_text(encoding="utf-8")), link
        assert name == "instructors.md" or f"({name}" in GUIDE, name
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "](docs/instructors.md)" in readme[readme.index("## Learn more") :]


def test_students_do_not_get_it():
    lessons = read_lessons(Folders(ROOT))
    files = release_files(lessons, lessons, ROOT)
    assert not [path for path in files if "instructors" in path or path.startswith("docs/")]
    assert not [path for path, text in files.items() if any(name in text for name in NAMES)]
    for sentence in re.findall(r"^- (.{30,})$", TEXT, re.M):
        assert not [path for path, text in files.items() if sentence in text], sentence
