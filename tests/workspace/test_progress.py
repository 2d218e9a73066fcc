import json
import multiprocessing
import os
import sys
from datetime import datetime, timezone
from pathlib import Path

import pytest
from filelock import FileLock, Timeout

from course_utils.workspace import progress as records
from course_utils.workspace.folders import course_folder


@pytest.fixture
def path(tmp_path, monkeypatch):
    path = tmp_path / "copy" / "progress.json"
    monkeypatch.setenv("COURSE_PROGRESS_FILE", str(path))
    return path


def test_nothing_is_recorded_at_first(path):
    assert records.read_progress() == records.Progress()
    assert not path.parent.exists()


def test_attempts_are_counted_and_a_pass_is_kept(path):
    for outcome in ("not attempted", "failed", "passed", "error"):
        progress = records.record_outcome("01.1", outcome, 0.0)
    entry = progress.exercises["01.1"]
    assert entry["attempts"] == 3
    assert entry["outcome"] == "error"
    assert progress.has_passed("01.1") and not progress.has_passed("01.2")
    assert records.read_progress() == progress


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[" * 100_000,
        "[]",
        "null",
        '{"exercises": 3}',
        '{"exercises": {"01.1": {}}}',
        '{"exercises": {"01.1": 2}}',
        '{"exercises": {}, "worked": {"01": {"seconds": "many", "last": "2026-01-01T10:00:00"}}}',
        '{"exercises": {}, "worked": {"01": {"seconds": 60, "last": "soon"}}}',
    ],
)
def test_a_damaged_file_is_set_aside_and_nothing_else_is_lost(path, text):
    path.parent.mkdir()
    path.write_text(text)
    progress = records.record_outcome("01.1", "passed", 1.0)
    assert "could not be read" in progress.notice
    (aside,) = path.parent.glob("progress.damaged-*.json")
    assert aside.read_text() == text
    assert aside.name in progress.notice
    assert records.read_progress().has_passed("01.1")


def test_the_time_of_work_leaves_pauses_out():
    progress = records.Progress()
    for minute in (0, 5, 19, 40, 52, 50):  # 21 minutes of pause, and a clock that was put back
        progress.note_work("01", datetime(2026, 1, 1, 10, minute, tzinfo=timezone.utc))
    assert progress.minutes("01") == 5 + 14 + 12
    assert progress.minutes("02") == 0


@pytest.mark.parametrize(
    "act",
    [
        lambda: records.record_start("01"),
        lambda: records.record_outcome("01.1", "failed", 0.0),
        lambda: records.record_prediction("01.a", "b", False),
    ],
)
def test_starts_checks_and_predictions_are_work(path, act):
    act()
    before = records.read_progress().worked["01"]["last"]
    act()
    work = records.read_progress().worked["01"]
    assert work["last"] > before and 0 < work["seconds"] < 60


def test_two_damaged_files_in_a_second_are_both_kept(path):
    path.parent.mkdir()
    for text in ("first", "second"):
        path.write_text(text)
        records.read_progress()
    kept = {aside.read_text() for aside in path.parent.glob("progress.damaged-*.json")}
    assert kept == {"first", "second"}


def _record_many(exercise_id):
    for _ in range(20):
        records.record_outcome(exercise_id, "failed", 0.0)


def test_processes_that_write_at_once_lose_nothing(path):
    ids = ["01.1", "01.2", "01.3"]
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_record_many, args=(i,)) for i in ids]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    attempts = {i: e["attempts"] for i, e in records.read_progress().exercises.items()}
    assert attempts == dict.fromkeys(ids, 20)


def test_the_file_is_replaced_and_never_half_written(path, monkeypatch):
    records.record_outcome("01.1", "passed", 1.0)
    before = path.read_text()

    def fail(*arguments):
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        records.record_outcome("01.2", "passed", 1.0)
    assert path.read_text() == before
    assert json.loads(before)["exercises"]["01.1"]["outcome"] == "passed"


def test_a_folder_that_cannot_be_written_is_an_oserror(path):
    path.parent.touch()
    with pytest.raises(OSError):
        records.record_outcome("01.1", "passed", 1.0)


def test_a_lock_that_another_process_keeps_is_an_oserror(path, monkeypatch):
    path.parent.mkdir()
    monkeypatch.setattr(records, "_LOCK_SECONDS", 0.1)
    with (
        FileLock(f"{path}.lock"),
        pytest.raises(OSError, match="another process seems to be using"),
    ):
        records.record_outcome("01.1", "passed", 1.0)


def test_a_lock_that_cannot_be_made_is_no_other_process(path, monkeypatch):
    def cannot(*arguments, **options):
        raise Timeout("lock")

    monkeypatch.setattr(records.FileLock, "__enter__", cannot)
    with pytest.raises(OSError, match=r"progress.json.lock could not .*; it cannot be created"):
        records.record_outcome("01.1", "passed", 1.0)


def test_what_is_on_a_medium_that_takes_no_lock_is_read(path, monkeypatch):
    records.record_outcome("01.1", "passed", 1.0)

    def cannot(*arguments, **options):
        raise OSError("read-only file system")

    monkeypatch.setattr(records, "FileLock", cannot)
    monkeypatch.setattr(Path, "mkdir", cannot)
    assert records.read_progress().has_passed("01.1")


def test_the_working_copy_is_found_from_inside(tmp_path, monkeypatch):
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "notebooks" / "00_start_here.ipynb").touch()
    monkeypatch.chdir(tmp_path / "notebooks")
    monkeypatch.delenv("COURSE_PROGRESS_FILE")
    assert course_folder() == tmp_path
    assert records.progress_path() == tmp_path / "work" / ".course" / "progress.json"


def test_the_named_file_may_stand_in_the_home_folder(monkeypatch):
    monkeypatch.setenv("COURSE_PROGRESS_FILE", "~/progress.json")
    assert records.progress_path() == Path.home() / "progress.json"


def test_running_a_worked_notebook_is_no_progress(tmp_path, monkeypatch):
    for folder in ("notebooks", "solutions"):
        (tmp_path / folder).mkdir()
    (tmp_path / "notebooks" / "00_start_here.ipynb").touch()
    monkeypatch.delenv("COURSE_PROGRESS_FILE")
    monkeypatch.chdir(tmp_path / "solutions")
    records.record_outcome("01.1", "passed", 1.0)
    monkeypatch.chdir(tmp_path / "notebooks")
    assert not records.read_progress().has_passed("01.1")
    monkeypatch.setattr(sys, "argv", [str(tmp_path / "lessons" / "01_first_tape.py")])
    records.record_outcome("01.1", "passed", 1.0)
    monkeypatch.setattr(sys, "argv", ["kernel"])
    assert not records.read_progress().has_passed("01.1")


def test_a_byte_order_mark_does_no_harm(path):
    records.record_outcome("01.1", "passed", 1.0)
    path.write_text(path.read_text(encoding="utf-8"), encoding="utf-8-sig")
    assert records.read_progress().has_passed("01.1")


def test_a_notebook_alone_keeps_its_progress_beside_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert course_folder() == tmp_path
