"""That pages are written beside what a teacher wrote, and nothing of it is lost."""

import pytest

from course_staff.classroom.reports import kept_pages
from course_staff.classroom.reports.kept_pages import write_pages
from course_utils.workspace import own_files


@pytest.fixture
def write(tmp_path):
    def write(**pages):
        named = {f"{name}.html": text for name, text in pages.items()}
        write_pages(tmp_path / "feedback", named, tmp_path / "state" / "pages.json")
        return {path.name: path.read_text() for path in (tmp_path / "feedback").iterdir()}

    return write


def test_pages_are_replaced_and_removed(write):
    assert write(ada="1", bob="1") == {"ada.html": "1", "bob.html": "1"}
    assert write(ada="2") == {"ada.html": "2"}


def test_what_a_teacher_wrote_or_changed_is_kept(write, tmp_path):
    (tmp_path / "feedback").mkdir()
    (tmp_path / "feedback" / "ada.html").write_text("a teacher's")
    (tmp_path / "feedback" / "notes.html").write_text("a teacher's")
    write(ada="1", bob="1", cyd="1")
    (tmp_path / "feedback" / "ada.html").write_text("changed")
    (tmp_path / "feedback" / "bob.html").write_text("changed, and no longer among them")
    assert write(ada="2", cyd="2") == {
        "ada.html": "2",
        "ada.kept-1.html": "a teacher's",
        "ada.kept-2.html": "changed",
        "bob.html": "changed, and no longer among them",
        "cyd.html": "2",
        "notes.html": "a teacher's",
    }


def test_no_page_is_written_through_a_link(write, tmp_path):
    write(ada="1")
    (tmp_path / "thesis").write_text("mine")
    (tmp_path / "feedback" / "ada.html").unlink()
    (tmp_path / "feedback" / "ada.html").symlink_to(tmp_path / "thesis")
    assert write(ada="2") == {"ada.html": "2", "ada.kept-1.html": "mine"}
    assert (tmp_path / "thesis").read_text() == "mine"


@pytest.mark.parametrize("whole", range(4))
def test_a_call_that_was_cut_off_takes_its_own_pages_for_nobody_elses(write, monkeypatch, whole):
    write(ada="1", bob="1")
    real, written = kept_pages.write_atomically, []

    def cut_off(path, text):
        if len(written) == whole:
            raise OSError(28, "No space left on device")
        written.append(path)
        real(path, text)

    with monkeypatch.context() as full_disk, pytest.raises(OSError, match="No space left"):
        for module in (kept_pages, own_files):
            full_disk.setattr(module, "write_atomically", cut_off)
        write(ada="2", cyd="2")
    assert write(ada="3", cyd="3") == {"ada.html": "3", "cyd.html": "3"}
