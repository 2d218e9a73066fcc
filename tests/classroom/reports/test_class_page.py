"""The class page's lines on the time that a lesson took."""

from pathlib import Path

from course_staff.classroom.intake.submissions import Submission, SubmissionsFound
from course_staff.classroom.judging.results import Grading, Row
from course_staff.classroom.reports.class_page import class_values
from course_staff.classroom.reports.pages import write_results
from course_utils.workspace.curriculum import find_lesson


def handed_in(student, minutes, counts=True):
    place = f"{student}/01_first_tape.ipynb"
    return Submission(student, "01", Path(place), place, 0.0, counts=counts, minutes=minutes)


def rows_of(students):
    exercises = find_lesson("01").exercises()
    return [
        Row(s, "01", e.id, e.title, "passed", "Yes.", e.points, e.points, s, "", True, "")
        for s in students
        for e in exercises
    ]


def test_the_median_of_those_whose_time_was_handed_in(tmp_path):
    said = {"ada": 40, "bob": 90, "cyd": 55}
    found = [handed_in(student, comment) for student, comment in said.items()]
    found += [handed_in("dan", None), handed_in("eve", 0)]
    found += [handed_in("ada", 5, counts=False)]
    students = [*said, "dan", "eve"]
    grading = Grading(rows=rows_of(students), found=SubmissionsFound(submissions=found))
    (line,) = class_values(grading, dict.fromkeys(students, "page.html"))["times"]
    assert (line["median"], line["students"]) == (55, 3)
    page = write_results(grading, tmp_path).read_text(encoding="utf-8")
    assert 'id="times"' in page and '<td class="number">55</td>' in page


def test_without_a_time_the_page_says_nothing_of_it(tmp_path):
    found = SubmissionsFound(submissions=[handed_in("dan", None)])
    page = write_results(Grading(rows=rows_of(["dan"]), found=found), tmp_path)
    assert 'id="times"' not in page.read_text(encoding="utf-8")
