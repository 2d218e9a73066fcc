"""What the benchmarks measure is what the lessons teach."""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[1]


def function(path, name):
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    (found,) = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == name]
    return ast.unparse(found)


def test_the_measured_epoch_is_that_of_the_lesson():
    in_lesson = function("lessons/13_mnist/lesson.py", "train_epoch")
    assert function("benchmarks/training_loop.py", "train_epoch") == in_lesson


def test_the_measured_network_is_that_of_the_lesson():
    def layers(path):
        text = function(path, "build_network")
        return text[text.index("keras.Sequential") :]

    assert layers("benchmarks/training_loop.py") == layers("lessons/13_mnist/lesson.py")
