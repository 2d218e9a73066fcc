"""The process that observes right programs and galleries: it ends with its grading."""

import os
import signal
import subprocess
import sys
from types import SimpleNamespace

import pytest
from handed_in import ROOT

from course_staff.classroom.judging import secret_references
from course_staff.classroom.judging.journal import Journal

GRADER = """
import sys, time
from pathlib import Path

from course_staff.classroom.judging.journal import Journal
from course_staff.classroom.judging.secret_references import References

if __name__ == "__main__":
    references = References(Path(sys.argv[1]), b"key", Journal(Path("journal")), "version")
    references.get_ready(["01.1"])
    if sys.argv[2] == "closed":
        references.close()
    else:
        references.right("01.1")
    print("ready", flush=True)
    time.sleep(600)
"""


@pytest.mark.parametrize("ending", ["closed", "killed"])
def test_nothing_of_it_is_left(tmp_path, ending):
    (tmp_path / "grader.py").write_text(GRADER)
    grader = subprocess.Popen(
        [sys.executable, "grader.py", str(ROOT / "lessons"), ending],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert grader.stdout.readline() == "ready\n"
        if ending == "closed":
            # One may be left: multiprocessing's tracker, which goes with the grader.
            assert children(grader.pid) <= 1
    finally:
        grader.send_signal(signal.SIGKILL)
    # Whatever it started holds the other end of this pipe until it ends.
    assert grader.communicate(timeout=60)[0] == ""


def test_a_learned_program_that_did_not_end_is_tried_again(tmp_path, monkeypatch):
    taught = SimpleNamespace(exercise="01.1", program="def slope(x): ...")
    monkeypatch.setattr(secret_references, "learned_of", lambda lessons, exercise: [taught])
    journal, calls = Journal(tmp_path / "journal"), []
    references = secret_references.References(ROOT / "lessons", b"key", journal, "version")
    references.learn(lambda *arguments: calls.append(arguments))  # as if stopped: returns None
    for count in (1, 2):
        assert list(references._learned("01.1")) == [] and len(calls) == count


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return len(file.read().split())
