"""What `course hand-in` wrote, found by a grading: whose it is, when it came, which one counts."""

import io
import os
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from handed_in import find_submissions, given

from course_staff.classroom.grade_command import _handed_in_again
from course_staff.classroom.intake import whose as ownership
from course_staff.classroom.judging.results import Grading

STUDENTS = {5001: "ada", 5002: "mal"}
ADA = "ada_gradienttape_2026-03-01-10-00-00.zip"
LATER = "ada_gradienttape_2026-03-01-11-00-00.zip"


def zipped(notebook=given("01")):  # noqa: B008
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr("01_first_tape.ipynb", notebook)
        archive.writestr("receipt.txt", "everything passed")
    return held.getvalue()


def put(path, uid=None, data=None):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data or zipped())
    if uid is not None:
        OWNERS[path] = uid
    return path


OWNERS = {}


@pytest.fixture(autouse=True)
def owners(monkeypatch):
    """Let files belong to students who have no accounts here."""
    OWNERS.clear()
    lstat = Path.lstat

    def of_student(path):
        status = lstat(path)
        uid = OWNERS.get(path, status.st_uid)
        values = {n: getattr(status, n) for n in dir(status) if n.startswith("st_")}
        return type("Status", (), values | {"st_uid": uid})

    monkeypatch.setattr(Path, "lstat", of_student)
    monkeypatch.setattr(ownership, "_login", STUDENTS.__getitem__)


def whose(folder):
    return {one.place: one.student for one in find_submissions(folder).submissions}


def test_what_was_downloaded_is_of_whom_its_name_says_and_came_when_it_says(tmp_path):
    put(tmp_path / ADA)
    put(tmp_path / "zoë@uni.edu_gradienttape_2026-03-01-10-00-00 (1).zip")
    found = find_submissions(tmp_path)
    assert [one.student for one in found.submissions] == ["ada", "zoë@uni.edu"]
    assert {one.when for one in found.submissions} == {"2026-03-01 10:00:00 UTC"}
    assert not (found.contradictions or found.other_files or found.crowded or found.unrecognised)


@pytest.mark.parametrize(
    ("before", "student"),
    [
        ("Zoë Bö_1234_assignsubmission_file_/", "Zoë Bö"),
        ("Zoë Bö_1234_assignsubmission_file_", "Zoë Bö"),
        ("bozoe_48211_993311_", "bozoe"),
        ("Lesson 01_s9912_attempt_2026-11-20-10-10-10_", "s9912"),
    ],
)
def test_a_learning_systems_own_name_counts_before_it(tmp_path, before, student):
    put(tmp_path / f"{before}{ADA}")
    found = find_submissions(tmp_path)
    assert [one.student for one in found.submissions] == [student] and not found.contradictions


def test_the_later_counts_and_both_are_named(tmp_path):
    put(tmp_path / ADA)
    put(tmp_path / LATER, data=zipped(given("01") + b" "))
    found = find_submissions(tmp_path)
    assert [(one.file, one.counts) for one in found.submissions] == [(ADA, False), (LATER, True)]
    said = f"ada handed in 01 again: {LATER} counts, not {ADA}."
    assert _handed_in_again(Grading(found=found)) == [said]
    excused = Grading(found=found, excuses={("ada", "01"): "Ill (Me)"})
    assert _handed_in_again(excused) == []
    unknown = [replace(one, has_time=one.counts) for one in found.submissions]
    (line,) = _handed_in_again(Grading(found=replace(found, submissions=unknown)))
    assert line.startswith(said) and "only the time of the download is known" in line


def test_what_another_put_there_is_that_persons_whatever_its_name(tmp_path):
    put(tmp_path / ADA, 5001)
    put(tmp_path / LATER, 5002)
    found = find_submissions(tmp_path)
    assert {one.place.partition("/")[0]: one.student for one in found.submissions} == {
        ADA: "ada",
        LATER: "mal",
    }
    assert all(one.counts for one in found.submissions)
    assert found.contradictions == [
        f"{LATER} is named after ada, but mal put it there. It was graded as the work of mal. If "
        "it is the work of ada, ask them to hand it in."
    ]


def test_a_time_that_a_student_sets_is_not_when_it_came(tmp_path):
    path = put(tmp_path / "ada_gradienttape_2001-01-01-00-00-00.zip", 5001)
    os.utime(path, (1, 1))
    (one,) = find_submissions(tmp_path).submissions
    assert one.time == pytest.approx(path.stat().st_ctime)


@pytest.mark.parametrize(
    "name",
    ["ada_01_first_tape.ipynb", "ada/01_first_tape.ipynb", "ada_1_assignsubmission_file_x.zip"],
)
@pytest.mark.parametrize("is_box", [True, False])
def test_in_a_box_another_name_than_that_of_a_hand_in_helps_nobody(tmp_path, name, is_box):
    path = put(tmp_path / name, data=given("01") if name.endswith("ipynb") else None)
    OWNERS[tmp_path / Path(name).parts[0]] = OWNERS[path] = 5002
    tmp_path.chmod(0o1777 if is_box else 0o755)
    # A folder that several teachers collected in is no box, and the names in it count.
    assert set(whose(tmp_path).values()) == {"mal" if is_box else "ada"}


def test_a_box_for_each_lesson(tmp_path):
    put(tmp_path / "01_first_tape" / LATER, 5002)
    assert set(whose(tmp_path).values()) == {"mal"}


def test_a_box_that_a_teacher_zipped(tmp_path):
    with zipfile.ZipFile(tmp_path / "box.zip", "w") as archive:
        archive.writestr(ADA, zipped())
        archive.writestr("bob_gradienttape_2026-03-01-10-00-00.zip", zipped())
    assert set(whose(tmp_path / "box.zip").values()) == {"ada", "bob"}
