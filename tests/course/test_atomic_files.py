import os

import pytest

from course_utils.course.atomic_files import write_atomically


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
