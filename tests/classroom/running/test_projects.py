"""Finished projects of lesson 21, run and judged as they are handed in: what each one is told."""

from functools import cache

import nbformat
import pytest
from handed_in import ROOT, as_bytes, code

from course_staff.classroom.intake.submissions import Submission
from course_staff.classroom.judging.batch import Batch
from course_staff.classroom.judging.journal import Journal
from course_staff.classroom.judging.secret_references import References
from course_staff.classroom.running.fork_server import ForkServer
from course_staff.classroom.sandbox.limits import Limits
from course_utils.exercises.exercise import stubs
from course_utils.workspace.curriculum import find_lesson

SETUP = "import keras\nimport numpy as np\nimport tensorflow as tf\nfrom course_utils import check"

# Answers to the last part that need no training: the form of the cloud, and a search for its speed.
BY_SEARCH = """
from course_utils import make_cloud

def form(points, speed):
    x, t = np.asarray(points, float).T
    return 0.25 / np.sqrt(v := 0.0625 + 0.1 * t) * np.exp(-((x - 0.6 - speed * t) ** 2) / (2 * v))

measured, dye = make_cloud(80, seed=21)
speeds = np.linspace(0, 3, 301)
best = min(speeds, key=lambda speed: np.mean((form(measured, speed) - dye[:, 0]) ** 2))

def held_out(inputs):
    return {"river": form(inputs["river"], best)}
"""


@cache
def worked():
    """Return the source of each exercise's cell in the worked notebook."""
    path = ROOT / "solutions" / f"{find_lesson('21').name}.ipynb"
    cells = nbformat.read(path, as_version=4).cells
    sources = {c.metadata["exercise"]: c.source for c in cells if "exercise" in c.metadata}
    names = {c.source.split('"')[1]: c.source for c in cells if c.source.startswith("check(")}
    return sources, names


def project(**changes):
    """Return a notebook of the worked parts, each with its changes; 21.5 answers by search."""
    sources, checks = worked()
    cells = [code(SETUP)]
    for exercise_id, source in sources.items():
        key = f"part_{exercise_id[-1]}"
        if key == "part_5" and "part_5" not in changes:
            source = BY_SEARCH
        for old, new in changes.get(key, []):
            assert old in source, f"{exercise_id} has no {old!r}"
            source = source.replace(old, new)
        mark = {"metadata": {"exercise": exercise_id}, "id": stubs()[exercise_id]["cell"]}
        cells += [code(source, **mark), code(checks[exercise_id])]
    return as_bytes(cells)


SEARCHED = [(worked()[0]["21.5"], BY_SEARCH)]

# Each finished project: what is changed in the worked one, and the mistakes that it is told. Where
# two parts are wrong, a right one stands between them, or neither uses the other.
PROJECTS = {
    "the regularisers are lost, and a loss that draws its points": (
        {
            "part_2": [(" + sum(model.losses)", "")],
            "part_4": [("tf.split(inner,", "tf.split(tf.random.uniform(inner.shape) * inner,")],
        },
        {"21.2": "penalties left out", "21.4": "random loss"},
    ),
    "the regularisers are in the loss as well": (
        {"part_4": [("mean(residual**2)", "mean(residual**2) + sum(model.losses)")]},
        {"21.4": "penalties counted"},
    ),
    "clipped by variable, and answers scaled by the batch": (
        {
            "part_1": [('variable.path.rpartition("/")[0]', "variable.path")],
            "part_5": [
                *SEARCHED,
                ("best)}", "best) - np.mean(form(inputs['river'], best))}"),
            ],
        },
        {"21.1": "by variable", "21.5": "river by the batch"},
    ),
    "resumed with other batches": (
        {"part_3": [("kept.append(generator.state)", "pass")]},
        {"21.3": "generator"},
    ),
    "clipped in the loop, and not in the step, and a coefficient that no gradient reaches": (
        {
            "part_2": [("clip(model, gradients)", "gradients")],
            "part_4": [("model.speed * along_x", "float(model.speed) * along_x")],
        },
        {"21.2": "clip left out", "21.4": "some without a gradient"},
    ),
    "resumed without the optimizer": (
        {"part_3": [(", *optimizer.variables", "")]},
        {"21.3": "momentum, count, rate"},
    ),
    "measurements and no equation": (
        {
            "part_4": [("tf.reduce_mean(residual**2)", "0 * tf.reduce_mean(residual**2)")],
            "part_5": [("tf.range(400)", "tf.range(100)")],
        },
        {"21.4": "a part of the batch", "21.5": "first hour only"},
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    root = tmp_path_factory.mktemp("server")
    root.chmod(0o755)  # as root, notebooks run as nobody
    with ForkServer(root, Limits()) as server:
        server.start()
        yield server


@pytest.fixture(scope="module")
def batch(tmp_path_factory):
    journal = Journal(tmp_path_factory.mktemp("batch") / "journal")
    references = References(ROOT / "lessons", b"key", journal, "version")
    yield Batch(Limits(), references, journal, "version", ROOT / "notebooks")
    references.close()


def verdicts(server, batch, path, data):
    path.write_bytes(data)
    [(_, found)] = batch.run([Submission("ada", "21", path, str(path), 0.0)], server, jobs=1)
    return found


def test_a_project_of_right_parts_earns_every_point(server, batch, tmp_path):
    found = verdicts(server, batch, tmp_path / "project.ipynb", project())
    assert {v.outcome for v in found.values()} == {"passed"}, found


# Each wrong part has its gallery observed: on a push, those of two parts are enough.
ON_A_PUSH = "clipped by variable, and answers scaled by the batch"


@pytest.mark.parametrize(
    "name",
    [n if n == ON_A_PUSH else pytest.param(n, marks=pytest.mark.nightly) for n in PROJECTS],
)
def test_a_wrong_project_is_told_what_is_missing_and_keeps_its_other_points(
    server, batch, tmp_path, name
):
    changes, wrong = PROJECTS[name]
    found = verdicts(server, batch, tmp_path / "project.ipynb", project(**changes))
    told = {i: v.mistake for i, v in found.items() if v.outcome != "passed"}
    assert told == wrong, {i: v.message for i, v in found.items()}
    assert all(len(found[i].message) > 40 for i in wrong)
