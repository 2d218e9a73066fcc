"""The feedback's "Where to look": the line in which one change makes a wrong answer right."""

import pytest
from handed_in import RIGHT, notebook
from typer.testing import CliRunner

from course_staff.classroom.jail.limits import Limits
from course_staff.classroom.judging import where_to_look
from course_staff.classroom.judging.grading import grade
from course_staff.classroom.judging.naming import groups_in
from course_staff.classroom.reports.pages import write_results
from course_utils.course.cli import app

LIMITS = Limits(total_seconds=60.0)
FOURTH = RIGHT["01.1"].replace("x**3", "x**4")
PLACE = "One change is enough, in line {}, `y = x**4 - 2 * x`: look at the number."
CUBIC = "import keras\n\ndef cubic(x):\n    return x**4 - 2 * x\n\n"
WITH_A_HELPER = CUBIC + RIGHT["01.1"].replace("x**3 - 2 * x", "cubic(x)")
FORGED = (
    FOURTH + "\n\nimport course_utils\n"
    "course_utils.check = lambda *a: None\ncheck = lambda *a: None"
)
WRONG = {
    "ada": {"01.1": FOURTH},
    "bob": {"01.1": f"# A comment\n\n{FOURTH}"},
    "cyd": {"01.1": WITH_A_HELPER},
    "dan": {"01.1": FOURTH.replace("- 2", "- 5")},
    "fay": {"01.1": FORGED},
    "gus": {"01.1": FOURTH.replace("x**4", "x**2")},
}


def handed_in(folder, wrong):
    for student, answers in wrong.items():
        (folder / student).mkdir(parents=True)
        data = notebook("01", RIGHT | answers)
        (folder / student / "01_first_tape.ipynb").write_bytes(data)
    return folder


def of_the_first(grading):
    return {row.student: row for row in grading.rows if row.exercise == "01.1"}


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """Grade the class once, without haste; return its rows for 01.1, and the results' folder."""
    root = tmp_path_factory.mktemp("class")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(where_to_look, "_SECONDS", 100.0)
        grading = grade(handed_in(root / "in", WRONG), root / "out", jobs=2, limits=LIMITS)
    write_results(grading, root / "out")
    return of_the_first(grading), root / "out"


def test_the_line_is_the_learners_own(graded):
    rows, _ = graded
    assert rows["ada"].where == PLACE.format(4)
    assert rows["bob"].where == PLACE.format(6)
    assert "in line 4, `return x**4 - 2 * x`: look at the number" in rows["cyd"].where


@pytest.mark.parametrize("student", ["dan", "fay"])
def test_nothing_is_guessed(graded, student):
    """Two changes away, or without a check that can be asked."""
    rows, _ = graded
    assert rows[student].outcome == "failed"
    assert rows[student].where == ""


def test_what_takes_long_is_left_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(where_to_look, "_SECONDS", 0.0)
    submitted = handed_in(tmp_path / "in", {"ada": WRONG["ada"]})
    rows = of_the_first(grade(submitted, tmp_path / "out", limits=LIMITS))
    assert rows["ada"].where == ""  # it is not among the first three changes


def test_the_page_and_the_teachers_list_say_it(graded):
    _, out = graded
    page = (out / "feedback" / "ada.html").read_text(encoding="utf-8")
    assert "<summary>Where to look</summary>" in page
    assert "<code>y = x**4 - 2 * x</code>: look at the number" in page
    (group,) = [one for one in groups_in(out) if "ada" in one.students]
    assert group.where == PLACE.format(4)


def test_groups_with_one_place_are_said_to_have_it(graded):
    """A fourth power and a square do different things."""
    _, out = graded
    shown = CliRunner().invoke(app, ["mistakes", str(out)]).output
    (ids,) = {tuple(one.id for one in groups_in(out) if {"ada", "gus"} & set(one.students))}
    assert len(ids) == 2
    assert f"The same place as in {ids[0]}: it may be the same mistake." in shown
