"""The same work, word for word: what is named, what says nothing, and who gets to see it."""

from pathlib import Path

from handed_in import RIGHT, ROOT, given, notebook, solution

from course_staff.classroom.intake.submissions import Submission
from course_staff.classroom.jail.cells import read_cells
from course_staff.classroom.judging.grading import Grading
from course_staff.classroom.judging.rows import Row
from course_staff.classroom.judging.same_work import Same, same_work, words_of
from course_staff.classroom.reports.pages import write_results
from course_utils.workspace.curriculum import find_lesson

OWN = """def slope(x):
    step = 1e-3
    above, below = (x + step) ** 3 - 2 * (x + step), (x - step) ** 3 - 2 * (x - step)
    return (above - below) / step
"""
SAME = OWN.replace("    step =", "    # my own idea\n\n    step  =").replace(
    "1e-3", "1e-3  # small"
)
ADDED_UP = RIGHT["01.4"].replace("reduce_mean", "reduce_sum")


def same(notebooks, wrong=("01.1",)):
    submissions = [Submission(student, "01", Path(student), student, 0.0) for student in notebooks]
    rows = [
        Row(
            s,
            "01",
            e.id,
            e.title,
            "failed" if e.id in wrong else "passed",
            "-",
            0,
            1,
            s,
            "",
            True,
            "",
        )
        for s in notebooks
        for e in find_lesson("01").exercises()
    ]
    return same_work(
        submissions, rows, lambda one: read_cells(notebooks[one.student]), ROOT / "solutions"
    )


def with_answers(**answers):
    return {s: notebook("01", {i: a for i, a in own.items()}) for s, own in answers.items()}


def test_one_wrong_program_of_two_students_is_named_whatever_its_comments():
    other = {"01.1": OWN.replace("above, below", "upper, below")}
    class_ = with_answers(
        ada={"01.1": OWN, "01.2": "gradient_shape = (4, 2)"}, bob={"01.1": SAME}, cyd=other
    )
    assert same(class_) == [Same("01", "01.1", ("ada", "bob"))]
    assert same(class_, wrong=()) == []  # what is right may be the same


def test_where_there_was_little_to_choose_sameness_says_nothing():
    slip = {
        "01.4": ADDED_UP,
        "01.2": "gradient_shape = (2, 4)",
        "01.1": "def slope(x):\n    return 0",
    }
    class_ = with_answers(ada=slip, bob=slip | {"01.2": "gradient_shape = (4,)"}, cyd=slip)
    assert same(class_, wrong=("01.1", "01.2", "01.4")) == []


def test_the_same_notebook_is_named_once_and_the_courses_own_never():
    own = {"01.1": OWN, "01.3": RIGHT["01.3"]}
    class_ = with_answers(ada=own, bob=own)
    assert same(class_) == [Same("01", "", ("ada", "bob"))]
    assert same({"ada": solution("01"), "bob": solution("01")}) == []
    assert same({"ada": given("01"), "bob": given("01")}) == []
    assert same({"ada": b"{", "bob": b"{"}) == []


def test_what_is_no_python_is_compared_too():
    assert words_of("!ls -l 'x") == words_of("! ls  -l 'x") != words_of("!ls -a 'x")


def test_only_the_class_page_says_it_and_folded(tmp_path):
    rows = [
        Row(s, "01", e.id, e.title, "failed", "-", 0, e.points, s, "", True, "")
        for s in ("ada", "bob")
        for e in find_lesson("01").exercises()
    ]
    grading = Grading(rows=rows, same=[Same("01", "01.1", ("ada", "bob"))])
    write_results(grading, tmp_path)
    said = "The same wrong program in 01.1"
    page = (tmp_path / "class.html").read_text()
    assert said in page.split("<details><summary>The same work")[1].split("</details>")[0]
    others = [path for path in tmp_path.rglob("*") if path.is_file() and path.name != "class.html"]
    assert len(others) >= 4 and not any(b"same wro" in path.read_bytes() for path in others)
