"""A whole class: every outcome once, killed and resumed, and the pages that come of it."""

import csv
import errno
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from forgeries import FORGERIES
from handed_in import RIGHT, ROOT, given, grade, notebook
from typer.testing import CliRunner

from course_staff.classroom import grading as engine
from course_staff.classroom.judging.journal import Journal, secret_key
from course_staff.classroom.judging.results import BadInput, Grading, Row
from course_staff.classroom.judging.secret_references import ReferencesFailed
from course_staff.classroom.reports.class_page import common_mistakes
from course_staff.classroom.reports.gradebook import gradebook_csv
from course_staff.classroom.reports.pages import page_name, write_results
from course_staff.classroom.running.conversation import Run
from course_staff.classroom.running.fork_server import ServerFailed
from course_staff.classroom.sandbox.limits import Limits
from course_utils.cli import app
from course_utils.workspace.curriculum import find_lesson
from course_utils.workspace.output_folder import claim

LIMITS = Limits(cell_seconds=5.0, check_seconds=3.0, total_seconds=20.0, memory=600)
ADDED_UP = RIGHT["01.4"].replace("reduce_mean", "reduce_sum")
OFF = "def slope(x):\n    return 3 * x**2 - 2 + {}"

CLASS = {
    "ada/00_start_here.ipynb": notebook("00", RIGHT),
    "ada/01_first_tape.ipynb": notebook("01", RIGHT),
    "bob/01_first_tape.ipynb": notebook("01", RIGHT | {"01.1": OFF.format(0.5), "01.4": ADDED_UP}),
    "cyd/01_first_tape.ipynb": notebook("01", RIGHT | {"01.1": OFF.format(1.5)}),
    "dan/01_first_tape.ipynb": given("01"),
    "eve/01_first_tape.ipynb": FORGERIES["ends the process"].notebook(),
    "fay/01_first_tape.ipynb": b'{"cells": [',
    "=1+2<i>_01_first_tape.ipynb": notebook("01", {"01.1": "def slope(x):\n    return <b>1</b>"}),
    "Zoë Å/01_first_tape.ipynb": notebook("01", {"01.2": "gradient_shape = '<script>x</script>'"}),
    "Zoë Å/01_first_tape (1).ipynb": notebook("01", RIGHT),
}


def hand_in(folder, files=CLASS):
    for number, (place, data) in enumerate(files.items()):
        path = folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        os.utime(path, (number + 1_000_000,) * 2)
    (folder / "gil" / "01_first_tape.ipynb").mkdir(parents=True)
    return folder


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """Grade the class once; return the grading and the two folders."""
    root = tmp_path_factory.mktemp("class")
    submissions, out = hand_in(root / "submitted"), root / "results"
    grading = grade(submissions, out, jobs=2, limits=LIMITS)
    return grading, submissions, out


def outcomes(grading, student, lesson="01"):
    rows = [r for r in grading.counting if r.student == student and r.lesson == lesson]
    return [row.outcome for row in rows]


def test_every_submission_has_one_row_for_each_exercise(graded):
    grading, _, out = graded
    rows = [json.loads(line) for line in (out / "results.jsonl").read_text().splitlines()]
    assert len(rows) == len({(row["submission"], row["exercise"]) for row in rows}) == 3 + 10 * 5
    assert {row["outcome"] for row in rows} >= {
        "passed", "failed", "not attempted", "error", "crashed", "unreadable",
    }  # fmt: skip
    assert all(row["message"] for row in rows)


def test_each_student_gets_what_was_earned(graded):
    grading, *_ = graded
    assert outcomes(grading, "ada") == ["passed"] * 5
    assert outcomes(grading, "bob") == ["failed", "passed", "passed", "failed", "passed"]
    assert outcomes(grading, "dan") == ["not attempted"] * 5
    assert outcomes(grading, "eve") == ["crashed"] * 5
    assert outcomes(grading, "fay") == ["unreadable"] * 5
    assert outcomes(grading, "gil") == ["unreadable"] * 5
    assert outcomes(grading, "=1+2<i>") == ["error"] + ["not attempted"] * 4
    assert outcomes(grading, "Zoë Å") == ["passed"] * 5
    older = [row for row in grading.rows if not row.counts]
    assert len(older) == 5 and older[1].outcome == "failed"


def test_the_gradebook_opens_in_a_spreadsheet(graded):
    *_, out = graded
    data = (out / "gradebook.csv").read_bytes()
    assert data.startswith(b"\xef\xbb\xbf")
    table = list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"))))
    by_name = {line["student"]: line for line in table}
    assert by_name["ada"]["total"] == "14" == by_name["ada"]["possible"]
    assert by_name["bob"]["lesson 00"] == "" and by_name["bob"]["lesson 01"] == "7"
    assert by_name["dan"]["01.1"] == "0"
    assert "'=1+2<i>" in by_name and "Zoë Å" in by_name and "=1+2<i>" not in by_name


class Page(HTMLParser):
    """What a screen reader and a browser would complain about."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.open, self.addresses, self.text = [], [], [], ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.text += " "
        self.tags.append((tag, dict(attributes)))
        self.addresses += [v for k, v in attributes if k in ("src", "href")]
        if tag not in ("meta", "rect"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1:] != ["style"]:
            self.text += data


def test_pages_are_whole_offline_and_labelled(graded):
    *_, out = graded
    pages = [*out.glob("*.html"), *(out / "feedback").glob("*.html")]
    assert len(pages) == 2 + 9
    for path in pages:
        page = Page(path.read_text(encoding="utf-8"))
        assert not page.open
        assert ("html", {"lang": "en"}) in page.tags
        assert not [a for a in page.addresses if re.match(r"[a-z]+:|//", a)]
        for address in page.addresses:
            if not address.startswith("#"):
                from urllib.parse import unquote

                assert (out / unquote(address)).exists()
        for tag, attributes in page.tags:
            assert tag != "script" and tag != "img"
            assert tag != "svg" or (attributes["role"], attributes["aria-labelledby"])
            assert tag != "th" or attributes["scope"] in ("row", "col")
        counted = [tag for tag, _ in page.tags]
        assert counted.count("h1") == 1 and counted.count("table") == counted.count("caption")


def test_feedback_is_the_learners_own_and_never_the_answer(graded):
    _, _, out = graded
    page = Page((out / "feedback" / page_name("bob")).read_text()).text
    assert "because you sum the squared errors" in page and "7 of 11 points" in page
    for source in RIGHT.values():
        assert source.splitlines()[-1].strip() not in page
    for other in ("ada", "cyd", "Zoë"):
        assert other not in page
    escaped = (out / "feedback" / page_name("=1+2<i>")).read_text()
    assert "return &lt;b&gt;1&lt;/b&gt;" in escaped and "<b>1" not in escaped
    for path in (out / "class.html", out / "feedback" / page_name("=1+2<i>")):
        assert "=1+2&lt;i&gt;" in path.read_text() and "<i>" not in path.read_text()
    assert "01_first_tape.ipynb" in Page((out / "feedback" / page_name("Zoë Å")).read_text()).text


def test_the_class_page_counts_the_class(graded):
    *_, out = graded
    text = Page((out / "class.html").read_text()).text
    flat = re.sub(r"\s+", " ", text)
    assert "9 students, 10 submissions that count, 8 exercises" in flat
    assert "01.1 Slope of a cubic complete 2 of 9 22% 2 1 1 3" in flat
    assert re.search(r"2 01.1 Slope of a cubic [a-z]", flat) and "bob, cyd" in flat
    assert "ended its own process (exit status 0)" in flat
    assert "fay/01_first_tape.ipynb unreadable" in flat and "Zoë Å/01_first_tape.ipynb" in flat


def test_one_mistake_of_two_students_is_counted_once(graded):
    grading, *_ = graded
    first = common_mistakes(grading.counting)[0]
    assert (first.exercise, first.students) == ("01.1", ("bob", "cyd"))


def test_grading_again_runs_only_what_changed(graded, tmp_path):
    grading, submissions, out = graded
    again = grade(submissions, out, limits=LIMITS)
    assert again.run == 0 and again.rows == grading.rows
    # Broken JSON and a folder for a file are unreadable, whoever finds it out.
    assert grading.unreadable == again.unreadable == 2
    assert grading.run == again.kept == len(grading.found.submissions) - 2


def test_another_version_of_the_exercises_runs_all_again(graded, monkeypatch):
    _, submissions, out = graded
    started = []

    def start(self, sandbox):
        started.append(sandbox)
        raise ServerFailed("stop here")

    monkeypatch.setattr(engine.ForkServer, "start", start)
    grade(submissions, out, limits=LIMITS)
    assert not started
    monkeypatch.setattr(engine, "exercises_version", lambda: "another")
    with pytest.raises(ServerFailed):
        grade(submissions, out, limits=LIMITS)
    assert started


# Killed -------------------------------------------------------------------------------------------


def kept(out):
    path = out / ".grading" / "journal.jsonl"
    return len(path.read_bytes().splitlines()) if path.exists() else 0


def test_killed_half_way_it_goes_on_with_the_same_result(graded, tmp_path):
    grading, submissions, uninterrupted = graded
    out = tmp_path / "results"
    claim(out, "course grade")
    (out / ".grading").mkdir()
    # The same secret draws the same inputs, so that even the numbers in messages can be compared,
    # and what right programs do on these need not be observed once more.
    for name in ("key", "references.jsonl"):
        shutil.copy(uninterrupted / ".grading" / name, out / ".grading" / name)
    program = [
        sys.executable, "-m", "course_utils", "grade", str(submissions), "--out", str(out),
        "--jobs", "1", "--seconds", "20", "--cell-seconds", "5", "--memory", "600",
    ]  # fmt: skip
    assert stopped(program, out, 2, signal.SIGKILL) == -signal.SIGKILL
    assert 2 <= kept(out) < 9
    with open(out / ".grading" / "journal.jsonl", "ab") as journal:
        journal.write(b'{"key": "cut o')  # as a crash of the machine might leave it
    assert stopped(program, out, 4, signal.SIGINT) == 130
    assert 4 <= kept(out) < 9
    assert not (out / "gradebook.csv").exists()
    resumed = subprocess.run(program, cwd=ROOT, capture_output=True, text=True)
    assert resumed.returncode == 0, resumed.stdout + resumed.stderr
    assert "unchanged" in resumed.stdout
    for name in ("gradebook.csv", "results.jsonl", "class.html"):
        assert (out / name).read_bytes() == (uninterrupted / name).read_bytes(), name


def stopped(program, out, count, how):
    """Start grading, stop it after ``count`` notebooks, and return its status; nothing is left."""
    process = subprocess.Popen(
        program,
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        # A shell starts what runs in the background with Ctrl-C ignored, and that is inherited.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    while kept(out) < count and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGSTOP)  # so that it cannot finish while its children are listed
    children = running(["--ppid", str(process.pid)])
    process.send_signal(how)
    process.send_signal(signal.SIGCONT)
    status = process.wait(timeout=30)
    end = time.monotonic() + 60
    assert children
    for child in children:
        while running(["-p", child]) and time.monotonic() < end:
            time.sleep(0.05)
        assert not running(["-p", child])
    return status


def running(which):
    listed = subprocess.run(["ps", *which, "-o", "pid="], capture_output=True, text=True).stdout
    return listed.split()


def test_a_journal_keeps_whole_lines_and_drops_a_torn_one(tmp_path):
    path = tmp_path / "journal"
    journal = Journal(path)
    journal.add("a", 1)
    journal.add("b", {"x": "é"})
    journal.close()
    whole = path.read_bytes()
    for cut in range(1, len(whole)):
        path.write_bytes(whole[:cut])
        again = Journal(path)
        assert again.get("a") == (1 if cut > whole.index(b"\n") else None)
        again.add("c", 3)
        again.close()
        third = Journal(path)
        assert third.get("c") == 3 and third.get("b") is None
        third.close()
    assert Journal(path, fresh=True).get("a") is None


def test_a_disk_that_is_full_stops_the_grading_and_gives_nobody_a_verdict(tmp_path, monkeypatch):
    def full(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    ran, stopped = [], threading.Event()

    def run_one(*_):
        ran.append(1)
        assert len(ran) == 1 or stopped.wait(60), "the grading goes on after a verdict was lost"
        return Run("done")

    monkeypatch.setattr(engine.ForkServer, "start", lambda self, sandbox: None)
    monkeypatch.setattr(engine.ForkServer, "run", run_one)
    monkeypatch.setattr(engine.ForkServer, "close", lambda self: stopped.set())
    files = {f"s{n}/01_first_tape.ipynb": notebook("01", RIGHT, [str(n)]) for n in range(9)}
    submissions = hand_in(tmp_path / "in", files)
    claim(tmp_path / "out", "course grade")
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        result = run(submissions, "--out", tmp_path / "out", "--jobs", "1")
    said = " ".join(result.output.split())
    assert result.exit_code == 1 and "No space left on device. Nothing that was graded" in said
    assert len(ran) <= 2 and not (tmp_path / "out" / "gradebook.csv").exists()


def test_the_secret_is_kept_and_private(tmp_path):
    key = secret_key(tmp_path / "key")
    assert len(key) == 32 and secret_key(tmp_path / "key") == key
    assert (tmp_path / "key").stat().st_mode & 0o077 == 0
    assert secret_key(tmp_path / "other") != key


# The command --------------------------------------------------------------------------------------


def run(*arguments):
    return CliRunner().invoke(app, ["grade", *map(str, arguments)])


def test_bad_input_is_a_sentence_and_status_1(tmp_path):
    out = tmp_path / "out"
    (tmp_path / "empty").mkdir()
    (tmp_path / "own" / "feedback").mkdir(parents=True)
    (tmp_path / "zipped").mkdir()
    (tmp_path / "zipped" / "01_first_tape.rar").touch()
    hand_in(tmp_path / "taken", {"ada/01_first_tape.ipynb": given("01")})
    for arguments, sentence in [
        ((tmp_path / "nowhere", "--out", out), "nowhere does not exist. Specify the folder"),
        ((tmp_path / "empty", "--out", out), "There are no submissions"),
        ((tmp_path / "zipped", "--out", out), "not recognized as submissions: 01_first_tape.rar"),
        (
            (tmp_path / "taken", "--out", tmp_path / "taken" / "ada"),
            "is not empty, and was not written by",
        ),
        ((tmp_path / "empty", "--out", tmp_path / "own"), "is not empty, and was not written by"),
        ((tmp_path / "empty", "--out", out, "--lessons", "77"), "there is no lesson 77"),
        ((tmp_path / "empty", "--out", tmp_path / "empty"), "There are no submissions"),
        ((tmp_path / "empty", "--out", "/proc/here"), "cannot be written"),
    ]:
        result = run(*arguments)
        assert result.exit_code == 1 and sentence in result.output, result.output
        assert "Traceback" not in result.output
    assert run(tmp_path).exit_code == 2


@pytest.mark.parametrize(
    "option",
    ["--jobs=0", "--seconds=-1", "--seconds=inf", "--cell-seconds=1e12", f"--memory={10**15}"],
)
def test_a_limit_that_no_notebook_could_run_in_is_status_2(tmp_path, option):
    result = run(tmp_path, "--out", tmp_path / "out", option)
    assert result.exit_code == 2 and option.split("=")[0] in result.output


def test_a_notebook_of_no_lesson_is_named_and_gives_status_1(graded, tmp_path):
    unreadable = hand_in(tmp_path / "in", {"ada/01_first_tape.ipynb": b"x" * (65 << 20)})
    (unreadable / "ada" / "poem.ipynb").write_text("{}")
    result = run(unreadable, "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert "This could not be matched to a lesson and a student: ada/poem.ipynb" in result.output
    assert "65 MB" in (tmp_path / "out" / "results.jsonl").read_text()


def test_files_that_are_no_notebooks_are_counted_and_named(tmp_path):
    submissions = hand_in(tmp_path / "in", {"ada/01_first_tape.ipynb.txt": given("01")})
    result = run(submissions, "--out", tmp_path / "out")
    assert (
        result.exit_code == 0
        and "are not submissions: 1. They are listed in class.html" in result.output
    )
    assert "ada/01_first_tape.ipynb.txt" in (tmp_path / "out" / "class.html").read_text()


def test_it_is_said_who_is_missing_what_is_uploaded_and_what_to_give_back(tmp_path):
    submissions = tmp_path / "in"
    path = submissions / "Ada_1_assignsubmission_file_" / "01_first_tape.ipynb"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"{")
    (tmp_path / "class.csv").write_text("name,id\nAda,1\nBob,2\nCyd,3\n")
    out = tmp_path / "out"
    result = run(submissions, "--out", out, "--roster", tmp_path / "class.csv")
    said = " ".join(result.output.split())
    assert result.exit_code == 0 and "Nothing handed in for lesson 01: Bob, Cyd" in said
    assert "upload.csv adds the column 'Lesson 01 The first tape'" in said
    assert "1 submission in this layout" in said and "work another way" not in said
    assert "feedback-for-moodle.zip" in said and (out / "upload.csv").exists()
    again = " ".join(run(submissions, "--out", out, "--again", "ada").output.split())
    assert "Using the roster from the last run" in again and "Bob, Cyd" in again
    assert (out / "upload.csv").exists()
    (submissions / "bob_gradienttape_2026-10-05-17-58-03_01_first_tape.ipynb").write_bytes(b"{")
    said = " ".join(run(submissions, "--out", out).output.split())
    assert (
        f"handed in their work another way: Bob. Send them their pages from {out / 'feedback'}"
        in said
    )
    run(submissions, "--out", out, "--fresh")
    assert not (out / "upload.csv").exists()  # it would be that of the last grading
    assert "Using the roster" not in run(submissions, "--out", out).output


def test_a_change_of_a_lesson_that_is_not_graded_now_waits(tmp_path):
    submissions, out = tmp_path / "in", tmp_path / "out"
    for name in ("01_first_tape", "02_watching"):
        (submissions / "ada" / f"{name}.ipynb").mkdir(parents=True)  # unreadable, and quickly so
    run(submissions, "--out", out)
    line = "ada,02.1,1,The right idea,Me"
    (out / "overrides.csv").write_text(f"student,exercise,points,comment,by\n{line}\n")
    assert run(submissions, "--out", out, "--lessons", "01").exit_code == 0
    assert run(submissions, "--out", out).exit_code == 0
    assert "The right idea" in (out / "feedback" / "ada.html").read_text(encoding="utf-8")


def test_results_of_submissions_that_are_gone_are_kept(tmp_path):
    submissions, out = tmp_path / "submitted", tmp_path / "results"
    (submissions / "ada" / "01_first_tape.ipynb").mkdir(parents=True)
    assert "earlier" not in run(submissions, "--out", out).output
    assert "earlier" not in run(submissions, "--out", out).output
    (submissions / "ada").rename(submissions / "bob")
    result = run(submissions, "--out", out)
    assert "0 run, 0 unchanged, 1 unreadable" in result.output and "earlier-1" in result.output
    assert [path.name for path in (out / "feedback").iterdir()] == ["bob.html"]
    assert [path.name for path in (out / "earlier-1" / "feedback").iterdir()] == ["ada.html"]
    kept = {path.name for path in (out / "earlier-1").iterdir()}
    assert kept == {
        "class.html", "class-to-show.html", "feedback", "gradebook.csv", "results.jsonl",
    }  # fmt: skip


def test_a_folder_of_students_is_asked_about_and_gives_status_1(tmp_path):
    for student in ("ada", "bob"):
        (tmp_path / "class" / "monday" / student / "01_first_tape.ipynb").mkdir(parents=True)
    result = run(tmp_path / "class", "--out", tmp_path / "out")
    assert result.exit_code == 1
    question = (
        "One student, or several? monday contains the same lesson under these names: ada, bob."
    )
    assert question in result.output.replace("\n", " ")
    page = (tmp_path / "out" / "class.html").read_text(encoding="utf-8")
    assert "One student, or several? The folder monday" in page


def rows(place, points, counts):
    """Return the rows of a submission of lesson 01 that failed every exercise."""
    return [
        Row(
            Path(place).parts[0],
            "01",
            e.id,
            e.title,
            "failed",
            "-",
            points,
            2,
            place,
            "",
            counts,
            "",
        )
        for e in find_lesson("01").exercises()
    ]


def test_long_lists_of_names_are_folded(tmp_path):
    places = [f"student{number:02}/a.ipynb" for number in range(12)]
    failed = Grading(rows=[row for place in places for row in rows(place, 0.0, True)])
    page = write_results(failed, tmp_path).read_text(encoding="utf-8")
    assert "<summary>01.1: student00, student01, student02 and 9 more</summary>" in page


def test_an_older_submission_that_earned_more_is_named(tmp_path):
    better = Grading(rows=[*rows("ada/old.ipynb", 1.0, False), *rows("ada/new.ipynb", 0.5, True)])
    page = write_results(better, tmp_path).read_text(encoding="utf-8")
    count = len(find_lesson("01").exercises())
    assert f"ada/old.ipynb: {count} points, where ada/new.ipynb earned {count / 2:g}" in page
    equal = Grading(rows=[*rows("ada/old.ipynb", 0.5, False), *rows("ada/new.ipynb", 0.5, True)])
    page = write_results(equal, tmp_path).read_text(encoding="utf-8")
    assert "earned more" not in page and "ada/old.ipynb" in page
    excused = replace(better, excuses={("ada", "01"): "Ill (Me)"})  # nothing counts
    page = write_results(excused, tmp_path).read_text(encoding="utf-8")
    assert "earned more" not in page and "ada from lesson 01: Ill" in page


def test_two_gradings_do_not_write_to_one_folder(graded):
    from filelock import FileLock

    _, submissions, out = graded
    with FileLock(out / ".grading" / "lock"):
        with pytest.raises(BadInput, match="Another grading"):
            grade(submissions, out)


def test_help_teaches():
    text = re.sub(r"\s+", " ", run("--help").output)
    for word in ("nbgrader", "gradebook.csv", "--fresh", "Exit status", "not attempted"):
        assert word in text


def test_an_accident_with_one_submission_does_not_stop_the_others(tmp_path, monkeypatch):
    submissions = hand_in(tmp_path / "in", {f"s{n}/01_first_tape.ipynb": given("01") for n in "12"})

    def accident(self, job, data, questions):
        raise OSError("the disk is full")

    monkeypatch.setattr(engine.ForkServer, "start", lambda self, sandbox: None)
    monkeypatch.setattr(engine.ForkServer, "run", accident)
    grading = grade(submissions, tmp_path / "out")
    assert sorted(grading.accidents) == ["s1/01_first_tape.ipynb", "s2/01_first_tape.ipynb"]
    assert [r.outcome for r in grading.rows].count("crashed") == 10
    assert "the disk is full" in grading.rows[5].message
    assert kept(tmp_path / "out") == 0  # so that it runs next time
    result = run(submissions, "--out", tmp_path / "out")
    assert result.exit_code == 1 and "this notebook: s2/01_first_tape.ipynb" in result.output


def test_a_lesson_that_does_not_run_stops_grading_and_leaves_the_results(tmp_path, monkeypatch):
    submissions = hand_in(tmp_path / "in", {"ada/01_first_tape.ipynb": given("01")})
    out = tmp_path / "out"
    monkeypatch.setattr(engine.ForkServer, "start", lambda self, sandbox: None)
    monkeypatch.setattr(engine.ForkServer, "run", lambda *_: Run("done"))
    assert run(submissions, "--out", out).exit_code == 0
    before = {path: path.read_bytes() for path in out.glob("*.*") if path.is_file()}

    def broken(self, *_):
        raise ReferencesFailed("The reference programs for 01.1 did not run.")

    monkeypatch.setattr(engine.ForkServer, "run", broken)
    result = run(submissions, "--out", out, "--fresh")
    assert result.exit_code == 1 and "The reference programs for 01.1 did not run." in result.output
    assert "were not changed" in result.output.replace("\n", " ")
    assert before == {path: path.read_bytes() for path in out.glob("*.*") if path.is_file()}


def test_an_unforeseen_file_does_not_stop_the_others(tmp_path, monkeypatch):
    submissions = hand_in(tmp_path / "in", {f"s{n}/01_first_tape.ipynb": given("01") for n in "12"})
    real = engine.Batch._known

    def unforeseen(self, one):
        if one.student == "s1":
            raise RuntimeError("nobody thought of this")
        return real(self, one)

    monkeypatch.setattr(engine.Batch, "_known", unforeseen)
    monkeypatch.setattr(engine.ForkServer, "start", lambda self, sandbox: None)
    monkeypatch.setattr(engine.ForkServer, "run", lambda *_: Run("done"))
    result = run(submissions, "--out", tmp_path / "out")
    assert result.exit_code == 1 and "this notebook: s1/01_first_tape.ipynb" in result.output
    graded = [json.loads(line) for line in (tmp_path / "out" / "results.jsonl").open()]
    outcomes = {(row["student"], row["outcome"]) for row in graded}
    assert outcomes >= {("s1", "crashed"), ("s2", "not attempted")}
    assert "nobody thought of this" in (tmp_path / "out" / "class.html").read_text()


def test_a_name_that_contradicts_another_is_said_and_gives_status_1(tmp_path):
    submissions = hand_in(tmp_path / "in", {})
    (submissions / "gil_01_first_tape.ipynb").mkdir()
    result = run(submissions, "--out", tmp_path / "out")
    said = "gil_01_first_tape.ipynb is named after gil"
    assert result.exit_code == 1 and said in result.output
    assert said in (tmp_path / "out" / "class.html").read_text(encoding="utf-8")


def test_page_names_are_safe_and_different():
    names = [
        "ada",
        "Ada",
        "a/b",
        "a\\b",
        "..",
        "",
        "con",
        "x" * 300,
        "Zoë",
        "=1+2<i>",
        "a b",
        "a-b",
        "a-b-" + "0" * 16,
        page_name("Ada").lower().removesuffix(".html"),
        "COM1",
        "com1",
        "\U00020000" * 80,
    ]
    pages = [page_name(name) for name in names]
    assert len({page.lower() for page in pages}) == len(names)
    assert all(re.fullmatch(r"[\w-]+\.html", page) and len(page.encode()) < 200 for page in pages)


@pytest.mark.parametrize("name", ["a;=1+1", "\uff1d1+1", " =1+1", "|calc", '";=1+1;"'])
def test_no_name_starts_a_formula_at_commas_or_semicolons(name):
    text = gradebook_csv(Grading(rows=rows(f"{name}/a.ipynb", 1.0, True)))
    for mark in (",", ";", "\t"):
        for line in csv.reader(io.StringIO(text), delimiter=mark):
            for cell in line:
                assert not cell.strip().startswith(("=", "+", "-", "@", "|", "\uff1d")), (
                    mark,
                    cell,
                )


def test_pages_are_written_before_another_grading_may_begin(tmp_path, monkeypatch):
    submissions = hand_in(tmp_path / "in", {"ada/01_first_tape.ipynb": given("01")})
    monkeypatch.setattr(engine.ForkServer, "start", lambda self, sandbox: None)
    monkeypatch.setattr(engine.ForkServer, "run", lambda *_: Run("done"))

    def write(grading, out):
        write_results(grading, out)
        with pytest.raises(BadInput, match="Another grading"):
            grade(submissions, out)

    monkeypatch.setattr(engine, "write_results", write)
    grade(submissions, tmp_path / "out")
    assert (tmp_path / "out" / "class.html").exists()


def test_a_notebook_that_was_stopped_after_an_answer_is_named(tmp_path, monkeypatch):
    submissions = hand_in(tmp_path / "in", {"ada/01_first_tape.ipynb": given("01")})

    def stopped(self, job, data, questions):
        questions.take("01.2", questions.seed("01.2"), {"broken": "calling it raised TypeError"})
        return Run("memory", cell=7)

    monkeypatch.setattr(engine.ForkServer, "start", lambda self, sandbox: None)
    monkeypatch.setattr(engine.ForkServer, "run", stopped)
    run(submissions, "--out", tmp_path / "out")
    page = re.sub(r"\s+", " ", (tmp_path / "out" / "class.html").read_text(encoding="utf-8"))
    why = "used more memory than allowed and was stopped in code cell 7, after this answer"
    assert f"ada: ada/01_first_tape.ipynb. The notebook {why}" in page
    assert why in (tmp_path / "out" / "feedback" / "ada.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(("ended", "outcome"), [("time", "timeout"), ("signal 9", "crashed")])
def test_what_was_stopped_runs_once_more_alone_before_it_is_recorded(
    tmp_path, monkeypatch, ended, outcome
):
    files = {f"s{n}/01_first_tape.ipynb": notebook("01", {"01.1": OFF.format(n)}) for n in range(4)}
    submissions = hand_in(tmp_path / "in", files)
    running, runs, recorded = [], [], []

    def busy(self, job, data, questions):
        running.append(data)
        is_again = data in runs
        if is_again:
            assert running == [data]
        runs.append(data)
        recorded.append(kept(tmp_path / "out"))
        time.sleep(0.05)
        running.remove(data)
        is_late = data == files["s1/01_first_tape.ipynb"] or not is_again
        return Run(ended if is_late else "done", cell=3)

    monkeypatch.setattr(engine.ForkServer, "start", lambda self, sandbox: None)
    monkeypatch.setattr(engine.ForkServer, "run", busy)
    graded = grade(submissions, tmp_path / "out", jobs=4)
    assert sorted(runs) == sorted(2 * list(files.values()))
    assert recorded == [0, 0, 0, 0, 0, 1, 2, 3] and kept(tmp_path / "out") == 4
    assert {row.student for row in graded.rows if row.outcome == outcome} == {"s1"}


def test_relative_folders_keep_notebooks_apart_as_absolute_ones_do(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    reads = "import os\nos.stat(os.environ['COURSE_DATA_DIR'])\n"
    reads += "os.stat(os.environ['KERAS_HOME'] + '/datasets')\n"
    answers = RIGHT | {"01.1": reads + RIGHT["01.1"]}
    hand_in(tmp_path / "in", {"ada/01_first_tape.ipynb": notebook("01", answers)})
    (tmp_path / "data").mkdir()
    (tmp_path / "keras" / "datasets").mkdir(parents=True)
    monkeypatch.setenv("COURSE_DATA_DIR", "data")
    monkeypatch.setenv("KERAS_HOME", str(tmp_path / "keras"))
    grading = grade(Path("in"), Path("out"), limits=LIMITS)
    assert outcomes(grading, "ada") == ["passed"] * 5 and grading.is_sandboxed


def test_a_folder_whose_name_is_no_text_keeps_notebooks_apart_too(tmp_path):
    odd = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff"))
    hand_in(odd / "in", {"ada/01_first_tape.ipynb": notebook("01", RIGHT)})
    result = run(odd / "in", "--out", odd / "out")
    assert result.exit_code == 0 and "without a network" in result.output


def test_without_a_sandbox_only_on_demand_and_every_page_says_so(tmp_path, monkeypatch):
    submissions, out = hand_in(tmp_path / "in", {"ada/01_first_tape.ipynb": given("01")}), tmp_path
    started = []

    def start(self, sandbox):
        started.append(sandbox)
        if sandbox:
            raise ServerFailed("This system allows no namespaces")

    monkeypatch.setattr(engine.ForkServer, "start", start)
    monkeypatch.setattr(engine.ForkServer, "run", lambda *_: Run("done"))
    result = run(submissions, "--out", out / "sandboxed")
    assert result.exit_code == 1 and "allows no namespaces" in result.output and started == [True]
    result = run(submissions, "--out", out / "free", "--no-sandbox")
    assert result.exit_code == 0 and "ran with your permissions" in result.output
    # Nothing has to run: it is said all the same. With a sandbox, nothing of it counts.
    assert (
        "ran with your permissions"
        in run(submissions, "--out", out / "free", "--no-sandbox").output
    )
    pages = [*(out / "free").glob("*.html"), *(out / "free" / "feedback").iterdir()]
    assert len(pages) == 4
    for page in pages:
        assert "Graded without a sandbox" in page.read_text(encoding="utf-8")
    assert run(submissions, "--out", out / "free").exit_code == 1
