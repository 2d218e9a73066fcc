"""Due dates: who is called late, by whose clock, and where it is said."""

import csv
import io
import json
import os
from datetime import datetime

import pytest
from handed_in import given
from typer.testing import CliRunner

from course_staff.classroom.intake.roster import Member, Roster
from course_staff.classroom.intake.submissions import find_submissions
from course_staff.classroom.judging.due import late, read_due, with_lateness, without_time
from course_staff.classroom.judging.grading import grade
from course_staff.classroom.judging.rows import BadInput
from course_staff.classroom.reports.pages import write_results
from course_utils.cli import app

NOON = datetime(2026, 3, 2, 12).timestamp()
HOUR = 3_600


def due(tmp_path, *lines, header="lesson,due,grace,student"):
    path = tmp_path / "due.csv"
    path.write_text("\n".join([header, *lines]) + "\n")
    return read_due(path)


def put(path, at=NOON, data=b"{}"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    os.utime(path, (at, at))
    return path


def words(folder, dates, roster=None):
    found = find_submissions(folder).submissions
    return {one.student: late(one, dates, roster) for one in found}


def test_late_is_what_came_after_the_grace_and_it_is_counted_from_the_due_time(tmp_path):
    dates = due(tmp_path, "1,2026-03-02 12:00,1 h,")
    for student, hours in (("ada", -1), ("bob", 1), ("cyd", 1.5), ("dan", 25)):
        put(tmp_path / "in" / student / "01_first_tape.ipynb", NOON + hours * HOUR)
        put(tmp_path / "in" / student / "00_start_here.ipynb", NOON + 9 * HOUR)  # has no date
    said = words(tmp_path / "in", dates)
    assert (said["ada"], said["bob"]) == ("", "")
    assert said["cyd"] == "1 hour 30 minutes after it was due, by the file's own time"
    assert said["dan"].startswith("1 day 1 hour after it was due")


def test_an_extension_is_one_students_alone(tmp_path):
    dates = due(tmp_path, "01,2026-03-01 12:00,,", "01,2026-03-03 12:00,,Ada Lovelace")
    roster = Roster([Member("Ada Lovelace", "4711"), Member("Bob B", "4712")])
    for student in ("4711", "4712"):
        put(tmp_path / "in" / student / "01_first_tape.ipynb")
    said = words(tmp_path / "in", dates, roster)
    assert said["4711"] == "" and said["4712"].startswith("1 day after")
    with pytest.raises(BadInput, match="Ada Lovelace, who has an extension, is not on the roster"):
        with_lateness([], [], dates, Roster([Member("Bob B", "4712")]))
    assert words(tmp_path / "in", dates)["4711"]  # without the roster nobody knows who that is


def test_the_learning_systems_clock_goes_before_the_file(tmp_path):
    dates = due(tmp_path, "01,2026-03-02 12:00,,")
    long_after = NOON + 90 * HOUR
    nbgrader = put(tmp_path / "nb" / "ada" / "01_first_tape" / "01_first_tape.ipynb", long_after)
    stamp = nbgrader.with_name("timestamp.txt")
    in_time, too_late = ("2026-01-01 12:00:00 UTC", "2026-06-01 12:00:00 UTC")
    stamp.write_text(in_time)
    assert words(tmp_path / "nb", dates) == {"ada": ""}
    stamp.write_text(too_late)
    assert words(tmp_path / "nb", dates)["ada"].endswith("by nbgrader's time stamp")
    name = "L_{}_attempt_2026-03-02-{}_01_first_tape.ipynb"
    for student, at in (("ada", "11-59-59"), ("bob", "12-01-00")):
        put(tmp_path / "bb" / name.format(student, at), long_after)
    said = words(tmp_path / "bb", dates)
    assert said["ada"] == ""
    assert said["bob"] == "1 minute after it was due, by Blackboard's name of the file"


def test_canvas_says_itself_what_is_late_and_moodles_download_says_nothing(tmp_path):
    dates = due(tmp_path, "01,2026-03-02 12:00,,")
    long_after = NOON + 90 * HOUR  # the time of the download
    put(tmp_path / "canvas" / "lovelaceada_48211_993311_01_first_tape.ipynb", long_after)
    put(tmp_path / "canvas" / "bbob_LATE_48212_993312_01_first_tape.ipynb", long_after)
    assert words(tmp_path / "canvas", dates) == {"lovelaceada": "", "bbob": "as Canvas says"}
    moodle = tmp_path / "moodle" / "Ada_1_assignsubmission_file_"
    put(moodle / "01_first_tape.ipynb", long_after)
    put(moodle / "timestamp.txt", data=b"1999-01-01 00:00:00")  # a file of the student's
    assert words(tmp_path / "moodle", dates) == {"Ada": ""}
    (one,) = without_time(find_submissions(tmp_path / "moodle").submissions, dates)
    assert one.student == "Ada" and one.time == long_after
    assert not without_time(find_submissions(tmp_path / "canvas").submissions, dates)


def test_it_is_named_everywhere_and_costs_nothing(tmp_path):
    for student, hours in (("ada", -1), ("bob", -2)):
        put(tmp_path / "in" / student / "01_first_tape.ipynb", NOON + hours * HOUR, b"{")
    put(tmp_path / "in" / "bob" / "01_first_tape (1).ipynb", NOON + 2 * HOUR, b"{")
    dates = due(tmp_path, "01,2026-03-02 12:00,,")
    grading = grade(tmp_path / "in", tmp_path / "out", due=dates)
    write_results(grading, tmp_path / "out")
    rows = [json.loads(line) for line in (tmp_path / "out" / "results.jsonl").open()]
    phrase = "2 hours after it was due, by the file's own time"
    assert {r["late"] for r in rows if r["student"] == "bob" and r["counts"]} == {phrase}
    assert {r["late"] for r in rows if r["student"] == "ada"} == {""}
    text = (tmp_path / "out" / "gradebook.csv").read_text(encoding="utf-8-sig")
    ada, bob = csv.DictReader(io.StringIO(text))
    assert (ada["late"], bob["late"]) == ("", f"01: {phrase}")
    page = (tmp_path / "out" / "feedback" / "bob.html").read_text()
    assert phrase.replace("'", "&#39;") in page and "takes no points" in page
    assert "Late" not in (tmp_path / "out" / "feedback" / "ada.html").read_text()
    table = (tmp_path / "out" / "class.html").read_text().split('id="late"')[1]
    assert "bob/01_first_tape.ipynb" in table.split("</table>")[0]  # the older one, in time


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (["99,2026-03-02 12:00,,"], "Line 2 .* no lesson '99'"),
        (["01,2026-03-02 12:00,,", "02,Monday,,"], "Line 3 .* due should be a time"),
        (["01,2026-03-02 12:00,soon,"], "Line 2 .* grace should be"),
    ],
)
def test_what_is_no_due_date_is_refused_with_its_line(tmp_path, lines, reason):
    with pytest.raises(BadInput, match=reason):
        due(tmp_path, *lines)


def test_a_file_of_something_else_is_refused(tmp_path):
    with pytest.raises(BadInput, match="should be lesson,due"):
        due(tmp_path, header="week,when")
    put(tmp_path / "in" / "ada" / "01_first_tape.ipynb", data=given("01"))
    options = ["--out", str(tmp_path / "out"), "--due", str(tmp_path / "none.csv")]
    result = CliRunner().invoke(app, ["grade", str(tmp_path / "in"), *options])
    assert result.exit_code == 1 and "cannot be read" in result.output
