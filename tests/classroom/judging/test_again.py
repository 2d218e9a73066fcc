"""Judging once more one student, one exercise or what timed out, and leaving the rest alone."""

import json

import pytest
from handed_in import grade, notebook
from typer.testing import CliRunner

from course_staff.classroom import grading as engine
from course_staff.classroom.intake.roster import Member, Roster
from course_staff.classroom.judging.again import choose_again
from course_staff.classroom.judging.results import BadInput
from course_staff.classroom.running.conversation import Run
from course_utils.cli import app

FILES = {
    "ada": notebook("01", {"01.1": "def slope(x):\n    return 1"}),
    "bob": notebook("01", {"01.1": "def slope(x):\n    return 2"}),
}
FILES["cyd"] = FILES["ada"]  # the same file, handed in twice


class Class:
    """Three students whose notebooks end as ``ends`` says, without being run."""

    def __init__(self, folder):
        self.submitted, self.out = folder / "in", folder / "out"
        self.ends, self.runs = "done", []
        for student, data in FILES.items():
            path = self.submitted / student / "01_first_tape.ipynb"
            path.parent.mkdir(parents=True)
            path.write_bytes(data)

    def run(self, server, job, data, questions):
        self.runs.append(data)
        return Run(self.ends, cell=3)

    def grade(self, *words, **options):
        self.runs = []
        return grade(self.submitted, self.out, again=choose_again(words), **options).rows

    def changed(self, before, after):
        assert len(before) == len(after)
        return {
            (one.student, one.exercise, one.outcome)
            for other, one in zip(before, after, strict=True)
            if other != one
        }


@pytest.fixture
def pupils(tmp_path, monkeypatch):
    made = Class(tmp_path)
    monkeypatch.setattr(engine.ForkServer, "start", lambda self, sandbox: None)
    monkeypatch.setattr(engine.ForkServer, "run", lambda *arguments: made.run(*arguments))
    return made


def test_one_student_is_judged_again_and_a_twin_of_the_notebook_is_not(pupils):
    before = pupils.grade()
    pupils.ends = "signal 9"
    after = pupils.grade("ada")
    assert {student for student, *_ in pupils.changed(before, after)} == {"ada"}
    assert {row.outcome for row in after if row.student == "ada"} == {"crashed"}
    assert pupils.grade() == after and not pupils.runs  # and so it stays


def test_a_student_may_be_called_as_on_the_roster(pupils):
    before = pupils.grade()
    pupils.ends = "signal 9"
    roster = Roster([Member("Lovelace, Ada", "ada"), Member("Bob B", "bob")])
    after = pupils.grade("Lovelace, Ada", roster=roster)
    ends = {row.student: row.outcome for row in after}
    assert ends == {"Lovelace, Ada": "crashed", "Bob B": "not attempted", "cyd": "not attempted"}
    assert len(before) == len(after)


def test_a_name_that_two_students_share_is_asked_about(pupils):
    for number in (4711, 4712):
        path = pupils.submitted / f"Kim_{number}_assignsubmission_file" / "01_first_tape.ipynb"
        path.parent.mkdir()
        path.write_bytes(FILES["bob"])
    for student in FILES:
        (pupils.submitted / student).rename(
            pupils.submitted / f"{student}_{len(student)}_assignsubmission_file"
        )
    with pytest.raises(BadInput, match=r"2 students. .* Kim \(4711\), Kim \(4712\)"):
        pupils.grade("Kim")


def test_one_exercise_of_one_student_is_judged_again_whatever_else_has_changed(pupils, monkeypatch):
    before = pupils.grade()
    pupils.ends = "signal 9"
    monkeypatch.setattr(engine, "exercises_version", lambda: "another")
    after = pupils.grade("bob", "01.2")
    assert pupils.changed(before, after) == {("bob", "01.2", "crashed")}
    assert set(pupils.runs) == {FILES["bob"]}
    pupils.ends = "done"
    again = pupils.grade("01.2", "crashed")  # builds on what --again left
    assert pupils.changed(after, again) == {("bob", "01.2", "not attempted")}
    pupils.ends = "time"
    assert {row.outcome for row in pupils.grade()} == {"timeout"}  # all on the other version


def test_only_timeouts_are_judged_again(pupils):
    pupils.ends = "time"
    pupils.grade()
    pupils.ends = "done"
    mixed = pupils.grade("bob")
    assert {r.outcome for r in mixed if r.student == "ada"} == {"timeout"}
    pupils.ends = "signal 9"
    after = pupils.grade("timeout")
    assert {student for student, *_ in pupils.changed(mixed, after)} == {"ada", "cyd"}


def test_what_was_never_graded_is_graded_too(pupils):
    pupils.grade()
    late = pupils.submitted / "dan" / "01_first_tape.ipynb"
    late.parent.mkdir()
    late.write_bytes(notebook("01"))
    assert {row.student for row in pupils.grade("ada")} == {"ada", "bob", "cyd", "dan"}


def test_what_lacks_an_exercise_of_today_is_graded_whole(pupils):
    pupils.grade()
    path = pupils.out / ".grading" / "journal.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines:
        del line["value"]["verdicts"]["01.5"]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert {row.exercise for row in pupils.grade("ada")} >= {"01.5"}
    assert set(pupils.runs) == set(FILES.values())


def test_a_slip_of_the_pen_is_noticed(pupils):
    pupils.grade()
    with pytest.raises(BadInput, match="'adda', but it must be an exercise .* or a student"):
        pupils.grade("adda")
    with pytest.raises(BadInput, match="01.9: there is no such exercise"):
        pupils.grade("01.9")
    folders = [str(pupils.submitted), "--out", str(pupils.out)]
    both = CliRunner().invoke(app, ["grade", *folders, "--fresh", "--again", "ada"])
    assert both.exit_code == 2 and "Use only one of them" in both.output
