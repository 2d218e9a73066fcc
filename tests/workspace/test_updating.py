"""A lesson that was corrected reaches who has begun it, and loses nothing on the way."""

import os
import random
import signal
import subprocess
import sys
import time

import pytest
from test_folders import ANSWER, LESSON, NAME, answer, checkout, contents, git

from course_utils.workspace import updating
from course_utils.workspace.curriculum import LESSONS
from course_utils.workspace.filling import start_workspace
from course_utils.workspace.originals import read_notebook, seal, text_of
from course_utils.workspace.progress import record_outcome

__all__ = ["checkout"]  # the fixture

SENTENCE = "This sentence was corrected."


def correct(root, name=NAME, what=SENTENCE):
    """Correct the second text of a lesson, as an author and a build do."""
    path = root / "notebooks" / name
    book = read_notebook(path)
    (index, *_) = [i for i, c in enumerate(book["cells"]) if c["cell_type"] == "markdown" and i]
    book["cells"][index]["source"] += f"\n\n{what}"
    seal(book)
    path.write_text(text_of(book), encoding="utf-8")


@pytest.fixture
def begun(checkout):
    """Return a workspace in which 01.1 is answered, of a lesson that was corrected since."""
    workspace = start_workspace().workspace
    answer(workspace.notebook(LESSON))
    correct(checkout)
    return workspace


def text(workspace):
    return workspace.notebook(LESSON).read_text(encoding="utf-8")


def test_the_correction_comes_and_the_answer_stays(begun):
    assert updating.corrected_in_words(begun).startswith("Lesson 01 was corrected after you began")
    (done,), kept = updating.update(begun)
    assert done.lesson == LESSON and not done.trouble
    book = read_notebook(begun.notebook(LESSON))
    assert [c["source"] for c in book["cells"] if c["metadata"].get("exercise") == "01.1"] == [
        ANSWER
    ]
    assert sum(SENTENCE in c["source"] for c in book["cells"]) == 1
    assert updating.corrected_in_words(begun) == ""
    (old,) = kept.iterdir()
    assert ANSWER.splitlines()[0] in old.read_text() and SENTENCE not in old.read_text()


def test_an_untouched_notebook_becomes_the_new_one_byte_for_byte(checkout):
    workspace = start_workspace().workspace
    correct(checkout)
    updating.update(workspace)
    assert contents(workspace.folder) == contents(checkout / "notebooks")


def test_a_second_update_changes_nothing(begun):
    updating.update(begun)
    before = text(begun)
    assert updating.update(begun) == ([], None)
    assert text(begun) == before


def test_one_that_was_overwritten_by_an_open_document_is_updated_again(begun):
    stale = text(begun)
    updating.update(begun)
    begun.notebook(LESSON).write_text(stale, encoding="utf-8")  # JupyterLab's Overwrite
    updating.update(begun)
    assert SENTENCE in text(begun) and "# mine" in text(begun)


def test_two_corrections_reach_who_missed_the_first(begun, checkout):
    correct(checkout, what="And once more.")
    updating.update(begun)
    assert SENTENCE in text(begun) and "And once more." in text(begun) and "# mine" in text(begun)


def test_undo_brings_the_notebook_back_and_keeps_what_came_since(begun):
    before = text(begun)
    updating.update(begun)
    since = answer(begun.notebook(LESSON), "01.2", "gradient_shape = (7,)")
    assert updating.undo(begun) == [begun.notebook(LESSON)]
    assert text(begun) == before
    kept = [p.read_bytes() for p in (begun.kept / "before").rglob("*.ipynb")]
    assert since in kept
    assert updating.undo(begun) == []
    assert len(updating.update(begun)[0]) == 1


def test_undo_after_two_updates_goes_back_one_by_one(begun, checkout):
    states = [text(begun)]
    updating.update(begun)
    states.append(text(begun))
    correct(checkout, what="And once more.")
    updating.update(begun)
    for state in reversed(states):
        updating.undo(begun)
        assert text(begun) == state


def test_a_notebook_that_lacks_what_was_checked_is_not_updated(begun):
    path = begun.notebook(LESSON)
    os.utime(path, (1e9, 1e9))
    before = text(begun)
    record_outcome("01.2", "failed", 0.0)
    (done,), kept = updating.update(begun)
    assert "You checked 01.2 after" in done.trouble and kept is None
    assert text(begun) == before
    path.touch()  # it was saved
    updating.update(begun)
    assert SENTENCE in text(begun)


def test_a_notebook_that_cannot_be_read_is_left_as_it_is_and_keeps_no_other(begun, checkout):
    other = begun.notebook(LESSONS[2])
    other.write_text("<<<<<<< HEAD", encoding="utf-8")
    done, _ = updating.update(begun)
    assert [bool(each.trouble) for each in done] == [False, True]
    assert "cannot be read as a notebook" in done[1].trouble
    assert other.read_text() == "<<<<<<< HEAD" and SENTENCE in text(begun)


def test_a_notebook_of_which_nothing_was_kept_keeps_every_line(begun):
    for path in (begun.kept / "given").glob("01*"):
        path.unlink()
    before = {line for cell in read_notebook(begun.notebook(LESSON))["cells"] for line in
              cell["source"].splitlines()}  # fmt: skip
    updating.update(begun)
    assert before <= {line for cell in read_notebook(begun.notebook(LESSON))["cells"] for line in
                      cell["source"].splitlines()}  # fmt: skip


def test_a_full_disk_leaves_everything_as_it_was(begun, monkeypatch):
    before = text(begun)

    def full(path, data):
        raise OSError(28, "No space left on device", str(path))

    for number in range(3):
        calls = iter(range(number))
        real = updating.write_atomically

        def some(path, data, calls=calls, real=real):
            real(path, data) if next(calls, None) is not None else full(path, data)

        with monkeypatch.context() as patched:
            patched.setattr(updating, "write_atomically", some)
            patched.setattr("course_utils.workspace.originals.write_atomically", some)
            with pytest.raises(OSError, match="No space left"):
                updating.update(begun)
        assert text(begun) == before
    updating.update(begun)
    assert SENTENCE in text(begun) and "# mine" in text(begun)


UPDATES = """
import sys
from course_utils.workspace import updating
from course_utils.workspace.folders import find_workspace
print("ready", flush=True)
sys.stdin.readline()
updating.update(find_workspace())
"""


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL")
def test_killed_at_any_moment_it_loses_nothing_and_the_next_one_completes(checkout):
    workspace = start_workspace().workspace
    chosen = LESSONS[1:5]
    firsts = {lesson: lesson.exercises()[0].id for lesson in chosen}
    for lesson in chosen:
        answer(workspace.notebook(lesson), firsts[lesson], f"mine = {lesson.number!r}")
    rng = random.Random(4)
    for number in range(20):
        for lesson in chosen:
            correct(checkout, f"{lesson.name}.ipynb", f"Correction {number}.")
        command = [sys.executable, "-c", UPDATES]
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=checkout
        ) as process:
            assert process.stdout.readline() == "ready\n"
            process.stdin.write("\n")
            process.stdin.flush()
            time.sleep(rng.uniform(0, 0.12))
            process.send_signal(signal.SIGKILL)
        for lesson in chosen:  # each is the old or the new one, and never half of it
            book = read_notebook(workspace.notebook(lesson))
            assert f"mine = {lesson.number!r}" in {cell["source"] for cell in book["cells"]}
        updating.update(workspace)
        for lesson in chosen:
            book = read_notebook(workspace.notebook(lesson))
            all_text = "\n".join(cell["source"] for cell in book["cells"])
            assert f"mine = {lesson.number!r}" in all_text
            assert all_text.count(f"Correction {number}.") == 1


def test_a_clone_that_is_pulled_meets_no_conflict(checkout, tmp_path, monkeypatch):
    learner = tmp_path / "learner"
    git(tmp_path, "clone", "-q", str(checkout), str(learner))
    monkeypatch.chdir(learner)
    workspace = start_workspace().workspace
    answer(workspace.notebook(LESSON))
    correct(checkout)
    git(checkout, "commit", "-qam", "A correction")
    git(learner, "pull", "-q")
    updating.update(workspace)
    assert SENTENCE in text(workspace) and "# mine" in text(workspace)
