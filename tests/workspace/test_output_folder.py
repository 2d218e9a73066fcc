"""That files are written beside what others wrote, and to no folder of somebody else's."""

import json
import os
import zipfile

import pytest

from course_utils.workspace import output_folder
from course_utils.workspace.output_folder import MARKER, OutputError, files_written, write_output

COMMAND = "course release"
FILES = {"README.md": "read me\n", "notebooks/a.ipynb": "ä\n", "source/x/x.ipynb": "x\n"}


def contents(folder):
    paths = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def write(out, files=FILES):
    write_output(files, out, COMMAND)


@pytest.fixture
def out(tmp_path):
    """Return a folder that was written once."""
    write(tmp_path / "out")
    return tmp_path / "out"


def test_the_same_files_give_the_same_bytes(out, tmp_path):
    before = contents(out)
    assert before["notebooks/a.ipynb"] == "ä\n".encode()
    assert set(before) == {*FILES, MARKER}
    write(out)
    assert contents(out) == before
    write(tmp_path / "other" / "place", dict(reversed(FILES.items())))
    assert contents(tmp_path / "other" / "place") == before


def test_an_empty_folder_will_do(tmp_path):
    write(tmp_path)
    assert set(contents(tmp_path)) == {*FILES, MARKER}


def test_a_later_call_replaces_and_removes_its_own_and_leaves_the_rest(out):
    (out / "notes.txt").write_text("mine")
    (out / "notebooks" / "mine.ipynb").write_text("mine")
    write(out, {"README.md": "new\n"})
    assert set(contents(out)) == {"README.md", "notes.txt", "notebooks/mine.ipynb", MARKER}
    assert (out / "README.md").read_text() == "new\n"
    assert not (out / "source").exists(), "no empty folders are left"


@pytest.mark.parametrize(
    "marker",
    [
        None,
        "",
        "[]",
        '{"command": "course release"}',
        '{"command": "course nbgrader", "files": []}',
        '{"command": "course release", "files": ["../kept.txt"]}',
        '{"command": "course release", "files": ["/etc/passwd"]}',
        '{"command": "course release", "files": ["a/../../kept.txt"]}',
        '{"command": "course release", "files": ["C:\\\\kept.txt"]}',
    ],
)
def test_a_folder_that_was_not_written_here_is_left_alone(tmp_path, marker):
    (tmp_path / "thesis.txt").write_text("mine")
    if marker is not None:
        (tmp_path / MARKER).write_text(marker)
    before = contents(tmp_path)
    with pytest.raises(OutputError, match="is not empty, and was not written by `course release`"):
        write(tmp_path)
    assert contents(tmp_path) == before


@pytest.mark.parametrize("path", ["README.md", "notebooks", "source", MARKER])
def test_nothing_is_written_or_removed_through_a_link(out, tmp_path, path):
    elsewhere = tmp_path / "elsewhere"
    (out / path).rename(elsewhere)
    (out / path).symlink_to(elsewhere)
    before = contents(tmp_path)
    with pytest.raises(OutputError, match="is a link|was not written"):
        write(out, {"README.md": "new\n", "notebooks/a.ipynb": "new\n"})
    assert contents(tmp_path) == before


@pytest.mark.parametrize("first", [{}, {"README.md": "old\n", "notebooks/b.ipynb": "old\n"}])
def test_a_call_that_was_cut_off_anywhere_is_repeated(tmp_path, monkeypatch, first):
    """As by kill -9, or a full disk: each time after one file more."""
    real = output_folder.write_atomically
    for whole in range(len(FILES) + 2):
        out = tmp_path / str(whole)
        if first:
            write(out, first)
        written = []

        def cut_off(path, text, written=written, whole=whole):
            if len(written) == whole:
                path.with_name(f".{len(written):016x}.new").write_text(text[: len(text) // 2])
                raise OSError(28, "No space left on device")
            written.append(path)
            real(path, text)

        with (
            monkeypatch.context() as full_disk,
            pytest.raises((OSError, OutputError), match="No space left"),
        ):
            full_disk.setattr(output_folder, "write_atomically", cut_off)
            write(out)
        write(out)
        whole_files = {path for path in contents(out) if not path.endswith(".new")}
        assert whole_files == {*FILES, MARKER} == {*files_written(out, COMMAND), MARKER}


def test_a_file_in_place_of_the_folder_is_said(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="is a file. Choose a new folder"):
        write(tmp_path / "file")


def test_a_zip_holds_the_folder_and_is_the_same_every_time(out, tmp_path):
    write(tmp_path / "out.zip")
    first = (tmp_path / "out.zip").read_bytes()
    os.utime(tmp_path / "out.zip", (0, 0))
    write(tmp_path / "out.zip")
    assert (tmp_path / "out.zip").read_bytes() == first
    with zipfile.ZipFile(tmp_path / "out.zip") as archive:
        archive.extractall(tmp_path / "unpacked")
    assert contents(tmp_path / "unpacked" / "out") == contents(out)
    assert json.loads((out / MARKER).read_text())["command"] == COMMAND


def test_a_folder_in_place_of_the_zip_is_said(tmp_path):
    (tmp_path / "out.zip").mkdir()
    with pytest.raises(OutputError, match="out.zip is a folder"):
        write(tmp_path / "out.zip")


@pytest.mark.parametrize("is_zip", [True, False, "damaged"])
def test_another_zip_is_left_alone(tmp_path, is_zip):
    path = tmp_path / "thesis.zip"
    if is_zip:
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("thesis.txt", "mine")
    else:
        path.write_text("mine")
    if is_zip == "damaged":
        path.write_bytes(path.read_bytes().replace(b"PK\1\2", b"PK\0\0"))
    before = path.read_bytes()
    with pytest.raises(OutputError, match="was not written by `course release`"):
        write(path)
    assert path.read_bytes() == before and len(list(tmp_path.iterdir())) == 1
