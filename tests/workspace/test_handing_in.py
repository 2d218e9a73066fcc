"""Handing in: what goes into the zip, who may read it, and whatever may be wrong with the place."""

import errno
import hashlib
import json
import os
import stat
import zipfile
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from typer.testing import CliRunner

from course_utils.cli import app
from course_utils.workspace import handing_in
from course_utils.workspace.curriculum import find_lesson
from course_utils.workspace.filling import start_workspace
from course_utils.workspace.handing_in import HandInError, collect, hand_in
from course_utils.workspace.progress import Progress

FIRST, SECOND = find_lesson("01"), find_lesson("02")
NOW = datetime(2026, 3, 1, 23, 59, 59, tzinfo=timezone.utc)


class Frozen(datetime):
    @classmethod
    def now(cls, tz=None):
        return NOW


@pytest.fixture
def workspace(tmp_path, monkeypatch):
    monkeypatch.setenv("JUPYTERHUB_USER", "ada")
    monkeypatch.delenv("COURSE_PROGRESS_FILE", raising=False)
    monkeypatch.setattr(handing_in, "datetime", Frozen)
    workspace = start_workspace(tmp_path / "course").workspace
    monkeypatch.chdir(workspace.folder)
    return workspace


@pytest.fixture
def box(tmp_path):
    box = tmp_path / "box"
    box.mkdir()
    return box


def write_in(workspace, lesson, text="slope = 6.0"):
    path = workspace.notebook(lesson)
    notebook = json.loads(path.read_text())
    notebook["cells"][-1]["source"] = text
    path.write_text(json.dumps(notebook))
    return path


def check_later(workspace, lesson):
    """Note a check of an exercise after the notebook was saved."""
    at = datetime.fromtimestamp(workspace.notebook(lesson).stat().st_mtime + 5, timezone.utc)
    entry = {"attempts": 1, "outcome": "passed", "checked_at": at.isoformat(timespec="seconds")}
    text = json.dumps({"exercises": {f"{lesson.number}.1": entry | {"passed_at": "then"}}})
    (workspace.kept / "progress.json").write_text(text)


def run(*words):
    result = CliRunner().invoke(app, ["hand-in", *words])
    return result.exit_code, result.output


def names(path):
    return zipfile.ZipFile(path).namelist()


def test_what_was_worked_on_and_a_receipt_of_it(workspace, box):
    data = write_in(workspace, FIRST).read_bytes()
    progress = Progress({"01.2": {"passed_at": "then"}, "01.3": {"attempts": 3}})
    progress.worked["01"] = {"seconds": 3000.0, "last": "2026-03-01T23:00:00+00:00"}
    found = collect(workspace, [FIRST, SECOND])
    path, receipt = hand_in(found, progress, box)
    assert path == box / "ada_gradienttape_2026-03-01-23-59-59.zip"
    with zipfile.ZipFile(path) as archive:
        assert archive.namelist() == ["01_first_tape.ipynb", "receipt.txt"]
        assert archive.read("01_first_tape.ipynb") == data
        assert archive.read("receipt.txt").decode() == receipt
        assert archive.getinfo("01_first_tape.ipynb").comment == b"50 minutes of work"
    assert receipt.splitlines() == [
        "Handed in by ada, 2026-03-01 23:59:59 UTC",
        "",
        "01_first_tape.ipynb, 1 of 5 passed here: 01.2; 50 minutes of work",
        f"sha256 {hashlib.sha256(data).hexdigest()}",
    ]
    assert found.untouched == [SECOND]
    assert list(box.iterdir()) == [path]


def test_the_command_says_where_it_stands_and_what_was_left_out(workspace):
    write_in(workspace, FIRST)
    write_in(workspace, SECOND)
    status, said = run("--lessons", "00,02")
    (path,) = (workspace.folder / "handed_in").iterdir()
    assert status == 0 and names(path) == ["02_watching.ipynb", "receipt.txt"]
    assert "you wrote nothing in them: 00\n" in said and path.name in said


def test_a_drop_box_may_be_named_by_the_hub(workspace, box, monkeypatch):
    write_in(workspace, FIRST)
    monkeypatch.setenv("COURSE_DROP_BOX", str(box))
    assert run()[0] == 0 and len(list(box.iterdir())) == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "There is nothing to hand in. You have not written"),
        (("--lessons", "99"), "there is no lesson 99"),
        (("--lessons", "1"), "Write two-digit numbers"),
    ],
)
def test_nothing_to_hand_in(workspace, words, said):
    status, output = run(*words)
    assert status == 1 and said in output and "Traceback" not in output


def test_outside_of_a_workspace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, output = run()
    assert status == 1 and "has no copy of the lessons yet" in output


def test_what_is_not_saved_is_said_and_handed_in_only_when_told_to(workspace, box):
    write_in(workspace, FIRST)
    check_later(workspace, FIRST)
    status, output = run("--to", str(box))
    assert status == 1 and "01.1 may not be in the file" in output and not list(box.iterdir())
    status, output = run("--to", str(box), "--anyway")
    assert status == 0 and output.count("01.1 may not be in the file") == 1
    assert names(*box.iterdir()) == ["01_first_tape.ipynb", "receipt.txt"]


@pytest.mark.parametrize("data", [b"", b"{}", b"[1]", b"\xff\xfe\x00", b'{"cells": 3}'])
def test_what_cannot_be_read_is_left_out_only_when_told_to(workspace, box, data):
    workspace.notebook(FIRST).write_bytes(data)
    write_in(workspace, SECOND)
    status, output = run("--to", str(box))
    assert status == 1 and "01_first_tape.ipynb" in output and not list(box.iterdir())
    status, output = run("--to", str(box), "--anyway")
    assert status == 0 and "was left out" in output
    assert names(*box.iterdir()) == ["02_watching.ipynb", "receipt.txt"]


def test_a_folder_in_place_of_a_notebook_is_said(workspace, box):
    workspace.notebook(FIRST).unlink()
    workspace.notebook(FIRST).mkdir()
    (trouble,) = collect(workspace, [FIRST]).troubles
    assert trouble.startswith("01_first_tape.ipynb cannot be read")


def test_two_in_one_second_stand_beside_one_another(workspace, box):
    write_in(workspace, FIRST)
    found = collect(workspace, [FIRST])
    first, _ = hand_in(found, Progress(), box)
    before = first.read_bytes()
    second, receipt = hand_in(found, Progress(), box)
    assert second.name == "ada_gradienttape_2026-03-02-00-00-00.zip" and "00:00:00" in receipt
    assert first.read_bytes() == before and sorted(box.iterdir()) == [first, second]


def test_nothing_is_written_through_a_link_or_over_a_file_that_waits_there(workspace, box):
    write_in(workspace, FIRST)
    taken = [
        box / f"ada_gradienttape_{NOW + timedelta(seconds=s):%Y-%m-%d-%H-%M-%S}.zip"
        for s in range(3)
    ]
    taken[0].symlink_to(box.parent / "elsewhere")
    taken[1].mkdir()
    (box / f".{taken[2].name}.new").symlink_to(box.parent / "elsewhere")
    path, _ = hand_in(collect(workspace, [FIRST]), Progress(), box)
    assert path.name.endswith("00-00-02.zip") and not (box.parent / "elsewhere").exists()
    assert zipfile.is_zipfile(path)


def test_a_box_in_which_every_name_is_taken(workspace, box, monkeypatch):
    write_in(workspace, FIRST)
    monkeypatch.setattr(handing_in, "_NAMES", 1)
    found = collect(workspace, [FIRST])
    hand_in(found, Progress(), box)
    with pytest.raises(HandInError, match="already has 1 files with your name"):
        hand_in(found, Progress(), box)


@pytest.mark.parametrize("call", ["fsync", "rename", "chmod"])
def test_a_full_disk_leaves_nothing(workspace, box, monkeypatch, call):
    write_in(workspace, FIRST)
    found = collect(workspace, [FIRST])

    def fails(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, call, fails)
    with pytest.raises(HandInError, match="No space left on device. Nothing was handed in"):
        hand_in(found, Progress(), box)
    assert not list(box.iterdir())


def test_places_that_are_none(workspace, box):
    write_in(workspace, FIRST)
    found = collect(workspace, [FIRST])
    with pytest.raises(HandInError, match="The folder .*/none cannot be accessed: No such file"):
        hand_in(found, Progress(), box / "none")
    (box / "file").touch()
    with pytest.raises(HandInError, match="file is not a folder"):
        hand_in(found, Progress(), box / "file")


@pytest.mark.parametrize(("folder", "file"), [(0o700, 0o600), (0o2770, 0o640), (0o1777, 0o600)])
def test_only_the_owner_reads_it_and_the_group_of_a_box_that_hands_its_group_on(
    workspace, box, folder, file
):
    write_in(workspace, FIRST)
    box.chmod(folder)
    path, _ = hand_in(collect(workspace, [FIRST]), Progress(), box)
    assert stat.S_IMODE(path.stat().st_mode) == file


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o2770])
def test_a_box_of_somebody_else_from_which_others_could_take_it_is_refused(
    workspace, box, monkeypatch, mode
):
    write_in(workspace, FIRST)
    box.chmod(mode)
    monkeypatch.setattr(os, "getuid", lambda: box.stat().st_uid + 1)
    found = collect(workspace, [FIRST])
    with pytest.raises(HandInError, match="The owner of the folder can fix that: chmod"):
        hand_in(found, Progress(), box)
    assert not list(box.iterdir())
    box.chmod(mode | stat.S_ISVTX)
    hand_in(found, Progress(), box)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write")
def test_a_folder_that_is_read_only(workspace, box):
    write_in(workspace, FIRST)
    box.chmod(0o555)
    with pytest.raises(HandInError, match="Permission denied. Nothing was handed in"):
        hand_in(collect(workspace, [FIRST]), Progress(), box)


@pytest.mark.parametrize(
    ("login", "name"), [("../b/c", "-b-c"), ("zoë@uni.edu", "zoë@uni.edu"), ("a b\n", "a-b-")]
)
def test_a_login_is_part_of_one_name(workspace, box, monkeypatch, login, name):
    write_in(workspace, FIRST)
    monkeypatch.setenv("JUPYTERHUB_USER", login)
    path, _ = hand_in(collect(workspace, [FIRST]), Progress(), box)
    assert path.name.partition("_gradienttape_")[0] == name and path.parent == Path(box)
