"""The wheel, installed where nothing is editable: the tools, the checks and the grading."""

import csv
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from handed_in import ANSWER_NAMES, RIGHT, ROOT, notebook

from course_utils.workspace.curriculum import LESSONS
from course_utils.workspace.originals import read_notebook, seal, text_of

pytestmark = pytest.mark.nightly

WRONG = "def slope(x):\n    return 3.0 * x**2"
SCRIPT = """
from importlib.resources import files

import tensorflow as tf

import course_utils
from course_utils import ExplainingTape, check, check_gradients

{right}
print(check("01.1", {name}).outcome)
{wrong}
print(check("01.1", {name}).outcome)

x = tf.constant(3.0)
with ExplainingTape() as tape:
    y = x**2
tape.gradient(y, x)
print("tape.watch(x)" in str(tape.explain()))
print(check_gradients(tf.square, x).passed)
package = files("course_utils")
print(sorted(p.name for p in (package / "workspace" / "given" / "notebooks").iterdir()))
print(sorted(p.name for p in (package / "exercises" / "generated").iterdir() if p.suffix == ".py"))
print(course_utils.__file__)
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """Return a fresh environment with the wheel, whose other packages are those of this one."""
    folder = tmp_path_factory.mktemp("wheel")
    # Where an earlier build left its folder, setuptools would take old files from there.
    source = folder / "source"
    shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns(".*", "build", "*.egg-info"))
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "env"], check=True)
    python = folder / "env" / "bin" / "python"
    install(source, python)
    (packages,) = (folder / "env" / "lib").glob("python*/site-packages")
    # A path file within these is not read, so what is editable there stays out.
    (packages / "others.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return python.parent


def install(source, python):
    """Build the wheel of a checkout, and install it in place of an older one."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    options = ["--no-deps", "--no-build-isolation", "--no-index"]
    shutil.rmtree(source / "build", ignore_errors=True)
    subprocess.run([*pip, "wheel", *options, "--wheel-dir", source / "build", source], check=True)
    (wheel,) = (source / "build").glob("*.whl")
    again = "--force-reinstall"
    subprocess.run([*pip, "--python", python, "install", again, *options, wheel], check=True)


def run(*command, folder):
    kept = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "COURSE_PROGRESS_FILE")}
    done = subprocess.run(command, cwd=folder, env=kept, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_tools_and_the_checks_work(environment, tmp_path):
    script = tmp_path / "tried.py"
    name = ANSWER_NAMES["01.1"]
    script.write_text(SCRIPT.format(right=RIGHT["01.1"], wrong=WRONG, name=name))
    *said, notebooks, questions, place = run(
        environment / "python", script, folder=tmp_path
    ).splitlines()
    assert said == ["passed", "failed", "True", "True"]
    assert notebooks == str([f"{lesson.name}.ipynb" for lesson in LESSONS])
    varied = [f"variants_{path.parent.name[:2]}.py" for path in ROOT.glob("lessons/*/variants.py")]
    asked = [f"lesson_{lesson.number}.py" for lesson in LESSONS]
    assert questions == str([*asked, *sorted(varied)]) and varied
    assert Path(place).is_relative_to(environment.parent)


def test_a_class_is_graded(environment, tmp_path):
    shutil.copytree(ROOT / "lessons", tmp_path / "lessons")
    shutil.copytree(ROOT / "notebooks", tmp_path / "notebooks")
    # Right where the sandbox hides what others handed in, and wrong where it does not.
    other = tmp_path / "submitted" / "ada" / "01_first_tape.ipynb"
    spying = f"import os\ngradient_shape = (4, 2 + os.path.exists({str(other)!r}))"
    handed_in = {
        "ada": notebook("01", RIGHT),
        "bob": notebook("01", RIGHT | {"01.1": WRONG, "01.2": spying}),
    }
    for student, data in handed_in.items():
        path = tmp_path / "submitted" / student / "01_first_tape.ipynb"
        path.parent.mkdir(parents=True)
        path.write_bytes(data)
    out = tmp_path / "results"
    run(environment / "course", "grade", "submitted", "--out", out, folder=tmp_path)
    with open(out / "gradebook.csv", newline="", encoding="utf-8-sig") as file:
        ada, bob = csv.DictReader(file)
    assert (ada["01.1"], bob["01.1"], bob["01.2"]) == ("2", "0", ada["01.2"]), (ada, bob)
    assert {k for k in ada if ada[k] != bob[k]} == {"student", "01.1", "lesson 01", "total"}


def test_a_course_without_a_checkout_from_the_start_to_the_teacher(environment, tmp_path):
    course, home = environment / "course", tmp_path / "gradienttape"
    assert "Next: cd gradienttape && course lab" in run(course, "start", home, folder=tmp_path)
    path = home / "01_first_tape.ipynb"
    mine = read_notebook(path)
    (cell,) = [c for c in mine["cells"] if c["metadata"].get("exercise") == "01.1"]
    cell["source"] = RIGHT["01.1"]
    path.write_text(text_of(mine))
    assert "Next: 00.1" in run(course, "status", folder=home)
    assert "up to date" in run(course, "update", folder=home)

    newer = environment.parents[1] / "source"
    given = newer / "notebooks" / path.name
    book = read_notebook(given)
    book["cells"][0]["source"] += "\n\nThis was corrected."
    seal(book)
    given.write_text(text_of(book))
    install(newer, environment / "python")
    assert "Lesson 01 was corrected" in run(course, "status", folder=home)
    run(course, "update", folder=home)
    sources = [cell["source"] for cell in read_notebook(path)["cells"]]
    assert "This was corrected." in sources[0] and RIGHT["01.1"] in sources

    assert "01_first_tape.ipynb" in run(course, "hand-in", folder=home)
    (zipped,) = (home / "handed_in").iterdir()
    (tmp_path / "submitted").mkdir()
    shutil.copy(zipped, tmp_path / "submitted")
    out = tmp_path / "results"
    grade = (sys.executable, "-m", "course_utils", "grade", tmp_path / "submitted", "--out", out)
    run(*grade, folder=ROOT)
    with open(out / "gradebook.csv", newline="", encoding="utf-8-sig") as file:
        (row,) = csv.DictReader(file)
    assert zipped.name.startswith(row["student"]) and row["01.1"] == "2"
