import hashlib
import os
import subprocess
import sys

from course_staff.classroom.sealing import sealed_module

SOURCE = '''\
"""A judge."""

from dataclasses import dataclass

ANSWER = "(4, 2) is the shape, über alles"


@dataclass(frozen=True)
class Judge:
    right: str = ANSWER

    def judge(self, value):
        return value == self.right
'''


def namespace_of(text):
    namespace = {"__name__": "course_utils.exercises.lesson_42"}
    exec(compile(text, "lesson_42.py", "exec"), namespace)
    return namespace


def test_a_sealed_module_does_what_its_source_does():
    sealed = namespace_of(sealed_module(SOURCE, "Exercises."))
    assert sealed["ANSWER"] == "(4, 2) is the shape, über alles"
    assert sealed["Judge"]().judge(sealed["ANSWER"])
    assert not sealed["Judge"]().judge("(2, 4)")
    assert sealed["Judge"].__module__ == "course_utils.exercises.lesson_42"


def test_nothing_of_the_source_can_be_read():
    sealed = sealed_module(SOURCE, "Exercises.")
    for word in ("ANSWER", "(4, 2)", "shape", "Judge", "dataclass"):
        assert word in SOURCE and word not in sealed


def test_nor_in_the_bytecode_that_python_keeps(tmp_path):
    (tmp_path / "lesson_42.py").write_text(sealed_module(SOURCE, "Exercises."))
    command = [sys.executable, "-c", "import lesson_42; print(lesson_42.ANSWER)"]
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    result = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert result.stdout.startswith("(4, 2)")
    (compiled,) = (tmp_path / "__pycache__").iterdir()
    assert b"(4, 2)" not in compiled.read_bytes() and b"ANSWER" not in compiled.read_bytes()


def test_the_same_source_gives_the_same_letters():
    first = sealed_module(SOURCE, "Exercises.")
    assert first == sealed_module(SOURCE, "Exercises.")
    assert first.isascii()
    assert max(map(len, first.splitlines())) <= 100
    # What this text compresses to does not depend on the machine.
    assert hashlib.sha256(first.encode()).hexdigest().startswith("d14fde430c6dd789")
