"""Every line of the cheat sheet is run: it has the cause, and what stands beside it mends it."""

import importlib.util
import linecache
import re
from pathlib import Path
from types import SimpleNamespace

import keras
import numpy as np
import pytest
import tensorflow as tf
from programs_of_the_sheet import broken, mended

from gradient_tools import ExplainingTape, cheat_sheet
from gradient_tools.explaining.cheat_sheet import reason
from gradient_tools.explaining.messages import Cause

DOCS = Path(__file__).parents[3] / "docs"
# These say that no cause was found.
NO_CAUSE = {Cause.UNDETERMINED, Cause.UNDETERMINED_IN_PY_FUNCTION, Cause.NOT_FINITE_UNKNOWN}
EXAMPLES = [
    SimpleNamespace(
        cause=cause, line=each.line, instead=each.instead, says=reason(cause.says, each)
    )
    for cause in Cause
    for each in cause.examples
]


def explained(program, folder):
    """Run a program with explaining tapes; return the explanations of the last call."""
    tapes = []

    class Tape(ExplainingTape):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            tapes.append(self)

    path = folder / "program.py"
    path.write_text(program.replace("tf.GradientTape", "Tape"))
    linecache.checkcache(str(path))
    code = compile(path.read_text(), str(path), "exec")
    try:
        exec(code, {"tf": tf, "np": np, "keras": keras, "Tape": Tape})
    except TypeError as error:
        assert "NoneType" in str(error)  # 0.1 * None
    return [each for tape in tapes for each in tape.explanations]


def without_names(message):
    """Return the first sentence without places and Keras's numbered paths."""
    first = message.partition(". ")[0].rstrip(".")
    return re.sub(r" \(program.py, line .*?\)\)|[\w/]*kernel", "", first)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda each: f"{each.cause.name}-{each.line}")
def test_the_line_has_the_cause_and_the_other_mends_it(example, tmp_path):
    found = explained(broken(example), tmp_path)
    assert found and found[-1].cause == example.cause.label, broken(example)
    assert without_names(found[0].message) == without_names(example.says)
    left = explained(mended(example), tmp_path)
    if example.cause is Cause.NOT_FINITE:  # A zero may be right.
        left = [each for each in left if each.gradient != "zero"]
    assert left == [], mended(example)


def test_every_cause_that_the_tool_names_is_there():
    assert {example.cause for example in EXAMPLES} == set(Cause) - NO_CAUSE


def test_the_sheet_holds_every_line_once():
    sheet = cheat_sheet()
    assert sheet._repr_markdown_() == repr(sheet)
    for example in EXAMPLES:
        assert repr(sheet).count(f"\n✗ {example.line}\n✓ {example.instead}\n") == 1
    assert len(re.findall("^## ", repr(sheet), re.M)) == 3 and "{" not in repr(sheet)


def test_a_row_gives_the_reason_and_nothing_of_another_program():
    says = {example.line: example.says for example in EXAMPLES}
    assert "Only floating-point and complex tensors have gradients." in says["x = tf.Variable(3)"]
    assert "A tape watches trainable variables" in says["x = x - 0.1"]
    assert "Ruled out" not in repr(cheat_sheet()) and "read from" not in repr(cheat_sheet())


def test_the_page_is_the_sheet_of_today():
    place = importlib.util.spec_from_file_location("page", DOCS / "write_cheat_sheet.py")
    script = importlib.util.module_from_spec(place)
    place.loader.exec_module(script)
    assert script.PAGE.read_text(encoding="utf-8") == script.page()
