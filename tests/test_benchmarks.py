"""What the benchmarks measure is what the lessons teach."""

import ast
import re
import shlex
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def function(path, name):
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    (found,) = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == name]
    return ast.unparse(found)


def test_the_measured_network_is_that_of_the_lesson():
    def layers(path):
        text = function(path, "build_network")
        return text[text.index("keras.Sequential") :]

    assert layers("benchmarks/training_loop.py") == layers("lessons/13_mnist/lesson.py")


def test_each_figure_of_the_readme_stands_with_a_command_that_make_bench_quick_runs():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    section = readme[readme.index("## Benchmarks") : readme.index("## License")]
    rows = [row for row in section.splitlines() if row.startswith("| ")][1:]  # without the head
    commands = {row.rsplit("`", 2)[1].removeprefix("python benchmarks/") for row in rows}
    (quick,) = re.findall(r"^QUICK := (.*)$", (ROOT / "Makefile").read_text(), re.M)
    assert commands == set(shlex.split(quick)) and len(rows) == len(commands)
    assert all((ROOT / "benchmarks" / command.split()[0]).exists() for command in commands)


@pytest.fixture
def benchmarks(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))


def test_the_changes_of_a_program_are_programs_and_leave_it_as_it_was(benchmarks):
    from small_mistakes_cases import changes_of

    tree = ast.parse(
        "def f(x, n):\n    for i in range(n):\n        x = x - i / 2\n    return x[1:]"
    )
    before, changes = ast.unparse(tree), [ast.unparse(change) for change in changes_of(tree)]
    assert len(set(changes)) > 40 and ast.unparse(tree) == before
    for text in changes:
        compile(text, "<changed>", "exec")


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ("return tf.reduce_sum(tape.gradient(y, x))", "passes"),
        ("return tape.gradient(x, y)", "named"),
        ("return -tape.gradient(y, x)", "unnamed"),
    ],
)
def test_the_outcome_of_a_small_mistake(benchmarks, tmp_path, monkeypatch, after, expected):
    import small_mistakes

    from course_staff.authoring.questions import Questions
    from course_staff.authoring.source import read_lesson

    questions = Questions(read_lesson(ROOT / "lessons" / "01_first_tape" / "lesson.py"))
    question, answer = questions.exercises["01.1"], questions.right("01.1")
    changes = {change.after: change for change in small_mistakes.changes_in(answer)}
    monkeypatch.chdir(tmp_path)
    assert small_mistakes.outcome(question, answer, changes[after]) == expected
