"""Which cells of a notebook grading runs: all but the demonstrations that no answer needs."""

import nbformat
import pytest
from handed_in import ROOT

from course_staff.classroom.sandbox.cells import Cell, read_cells
from course_staff.classroom.sandbox.needed import demonstrations, needed_cells
from course_utils.workspace.curriculum import LESSONS

START = "import tensorflow as tf\nfrom course_utils import check"
ANSWER = "def loss(y):\n    return tf.reduce_mean((y - GOAL) ** 2)"
CHECK = 'check("01.1", loss)'
ALONE = ANSWER.replace("GOAL", "1")


def run_of(*sources, own=(ANSWER, ALONE, CHECK)):
    """Return the sources that run, where all but ``own`` are as they were handed out."""
    cells = [Cell(number, source) for number, source in enumerate(sources, 1)]
    return [cell.source for cell in needed_cells(cells, set(sources) - set(own))]


def test_a_demonstration_that_shares_no_name_with_an_answer_is_left_out():
    shows = ["x = tf.Variable(3.0)\nprint(x)", "for _ in range(3):\n    x.assign_add(1.0)"]
    assert run_of(START, *shows, ALONE, CHECK) == [START, ALONE, CHECK]


@pytest.mark.parametrize(
    "needed",
    [
        ["GOAL = 2.0"],
        ["GOAL: float = 2.0"],
        ["def GOAL():\n    return 2"],
        ["class GOAL:\n    pass"],
        ["for GOAL in range(3):\n    pass"],
        ["with open('x') as (GOAL, other):\n    pass"],
        ["(GOAL := 2)"],
        ["if (GOAL := 2) > 1:\n    print(GOAL)"],
        ["from math import pi as GOAL"],
        ["import math as GOAL"],
        ["def set_goal():\n    global GOAL\n    GOAL = 3", "set_goal()"],
        ["GOAL = tf.Variable(1.0)", "GOAL.assign(2.0)"],
        ["GOAL = [1, 2]", "GOAL[0] = 3"],
        ["GOAL = other = [1, 2]", "other.append(3)"],
        ["weights = [1, 2]", "GOAL = tuple(weights)", "def step():\n    weights[0] += 1", "step()"],
        ["GOAL = 2.0", "del GOAL"],
        ["from time import time as now", "GOAL = now()"],
    ],
    ids=lambda needed: needed[-1].partition("\n")[0],
)
def test_what_an_answer_is_computed_from_runs(needed):
    assert run_of(START, "z = 1", *needed, ANSWER, CHECK) == [START, *needed, ANSWER, CHECK]


def test_a_name_that_is_only_imported_ties_no_cells_together():
    """Else every cell would be tied to every other by ``tf``."""
    assert run_of(START, "import math\ny = math.pi", "import math", ALONE) == [START, ALONE]


def test_a_name_that_is_imported_and_then_bound_ties_cells_together():
    cells = [START, "tf = tf.compat.v1", "y = tf.zeros(2)", ALONE]
    assert run_of(*cells) == cells


@pytest.mark.parametrize(
    "reaching",
    ["globals()['GOAL']", "eval('GOAL')", "%time print(1)", "!ls", "import __main__"],
)
def test_everything_runs_where_a_cell_can_reach_names_that_it_does_not_mention(reaching):
    cells = [START, "GOAL = 2.0", reaching, ALONE]
    assert run_of(*cells, own=(ALONE, reaching)) == cells


def test_what_a_learner_added_or_changed_runs():
    added = "tf.config.run_functions_eagerly(True)"
    cells = [Cell(1, START), Cell(2, "y = 1"), Cell(3, added), Cell(4, "y = 2"), Cell(5, ALONE)]
    shown = [START, "y = 1", "y = 3"]
    assert [cell.number for cell in needed_cells(cells, shown)] == [1, 2, 3, 4, 5]


def test_a_cell_that_is_no_python_ties_nothing():
    assert run_of(START, "x = 1", "x = (", ALONE, own=("x = (", ALONE)) == [START, "x = (", ALONE]


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.number)
def test_no_solution_leans_on_a_demonstration(lesson):
    """Or a class would pay for it in each of its notebooks."""
    shown = demonstrations((ROOT / "notebooks" / f"{lesson.name}.ipynb").read_bytes())
    worked = nbformat.read(ROOT / "solutions" / f"{lesson.name}.ipynb", as_version=4)
    # The cells that assert the claims are in no notebook of a learner.
    worked.cells = [c for c in worked.cells if "claims" not in c.metadata.get("tags", [])]
    cells = read_cells(nbformat.writes(worked).encode())
    run = needed_cells(cells, shown)
    assert run[0] == cells[0]
    assert not [cell for cell in run if cell.source in shown]
    assert [cell for cell in run if cell.exercise] == [cell for cell in cells if cell.exercise]
    assert len(run) <= 0.6 * len(cells)
