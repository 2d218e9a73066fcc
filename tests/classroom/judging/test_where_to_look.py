"""The feedback's "Where to look": the line but for which a wrong answer is a right one."""

import pytest
from handed_in import RIGHT, notebook
from typer.testing import CliRunner

from course_staff.classroom.judging.grading import grade
from course_staff.classroom.judging.naming import groups_in
from course_staff.classroom.reports.pages import write_results
from course_staff.classroom.sandbox.limits import Limits
from course_utils.course.cli import app

LIMITS = Limits(total_seconds=60.0)
FOURTH = RIGHT["01.1"].replace("x**3", "x**4")
PLACE = "One change is enough, in line {}, `y = x**4 - 2 * x`: look at `4`."
HELPED = "def cubic(x):\n    return x**4 - 2 * x\n\n" + FOURTH.replace("x**4 - 2 * x", "cubic(x)")
FORGED = (
    FOURTH + "\n\nimport course_utils\n"
    "course_utils.check = lambda *a: None\ncheck = lambda *a: None"
)
WRONG = {
    "ada": {"01.1": FOURTH},
    "bob": {"01.1": f"# A comment\n\n{FOURTH}"},
    "cyd": {"01.1": HELPED},
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
    """Grade the class once; return its rows for 01.1, and the results' folder."""
    root = tmp_path_factory.mktemp("class")
    grading = grade(handed_in(root / "in", WRONG), root / "out", jobs=2, limits=LIMITS)
    write_results(grading, root / "out")
    return of_the_first(grading), root / "out"


def test_the_line_is_the_learners_own(graded):
    rows, _ = graded
    assert rows["ada"].where == PLACE.format(4)
    assert rows["bob"].where == PLACE.format(6)


def test_nothing_is_guessed(graded):
    """Where the answer is of another form."""
    rows, _ = graded
    assert rows["cyd"].outcome == "failed"
    assert rows["cyd"].where == ""


def test_the_page_and_the_teachers_list_say_it(graded):
    _, out = graded
    page = (out / "feedback" / "ada.html").read_text(encoding="utf-8")
    assert "<summary>Where to look</summary>" in page
    assert "<code>y = x**4 - 2 * x</code>: look at <code>4</code>" in page
    (group,) = [one for one in groups_in(out) if "ada" in one.students]
    assert group.where == PLACE.format(4)


def test_groups_with_one_place_are_said_to_have_it(graded):
    """A fourth power and a square do different things."""
    _, out = graded
    shown = CliRunner().invoke(app, ["mistakes", str(out)]).output
    (ids,) = {tuple(one.id for one in groups_in(out) if {"ada", "gus"} & set(one.students))}
    assert len(ids) == 2
    assert f"The same place as in {ids[0]}: it may be the same mistake." in shown
