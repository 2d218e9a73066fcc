import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from course_utils.workspace.atomic_files import write_atomically


def test_a_file_is_made_and_replaced(tmp_path):
    path = tmp_path / "a.txt"
    for text in ("first", "zweiter Text, größer"):
        write_atomically(path, text)
        assert path.read_text(encoding="utf-8") == text
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(os.name == "nt", reason="Windows has neither")
def test_permissions_and_links_stay(tmp_path):
    path, link = tmp_path / "a.txt", tmp_path / "link"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    write_atomically(link, "new")
    assert link.is_symlink() and path.read_text() == "new"
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_write_that_fails_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    path.write_text("old")
    monkeypatch.setattr(os, "replace", lambda *arguments: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        write_atomically(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="only Linux has a full disk at hand")
def test_a_full_disk_leaves_the_old_file_and_nothing_beside_it(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    path.write_text("old")
    into_nothing = os.open("/dev/full", os.O_WRONLY)
    monkeypatch.setattr(os, "fsync", lambda descriptor: os.write(into_nothing, b"new"))
    with pytest.raises(OSError, match="No space left"):
        write_atomically(path, "new")
    os.close(into_nothing)
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]


def test_of_writers_at_once_the_text_of_one_stays_whole(tmp_path):
    path = tmp_path / "a.txt"
    texts = [str(i) * 300_000 for i in range(8)]
    with ThreadPoolExecutor(len(texts)) as pool:
        for _ in range(5):
            list(pool.map(lambda text: write_atomically(path, text), texts))
            assert path.read_text() in texts
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(os.name == "nt", reason="Windows has none")
def test_a_new_file_has_the_permissions_of_any_new_file(tmp_path):
    (tmp_path / "plain").touch()
    write_atomically(tmp_path / "a.txt", "new")
    modes = {path.stat().st_mode for path in tmp_path.iterdir()}
    assert len(modes) == 1
