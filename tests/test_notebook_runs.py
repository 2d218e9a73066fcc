"""That a notebook which goes wrong under test is reported, and quickly; that none takes a port."""

import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from course_staff.authoring.run import run_notebook

ROOT = Path(__file__).parents[1]
# A port that is chosen before the kernel takes it may be another program's by then.
TRANSPORT = (
    "import json, ipykernel\nprint(json.loads(ipykernel.get_connection_info())['transport'])"
)
pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no such sockets")


def test_a_kernel_that_a_build_starts_takes_no_port():
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(TRANSPORT)])
    run_notebook(notebook, ROOT)
    assert notebook.cells[0].outputs[0].text == "ipc\n"


def output(text, name="stdout"):
    return nbformat.v4.new_output("stream", name=name, text=text)


def figure(words, size="704x396 with 1 Axes", png="stored"):
    data = {"image/png": png, "text/plain": f"<Figure size {size}>"}
    return nbformat.v4.new_output(
        "display_data", data=data, metadata={"image/png": {"alt": words}} if words else {}
    )


def nbval(folder, cells):
    """Run cells, each a source with the outputs that are stored, as `make test` runs a notebook."""
    notebook = nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_code_cell(source, execution_count=n, outputs=outputs)
            for n, (source, outputs) in enumerate(cells.items(), start=1)
        ]
    )
    nbformat.write(notebook, folder / "case.ipynb")
    (folder / "conftest.py").write_text((ROOT / "conftest.py").read_text())
    command = [
        sys.executable,
        "-m",
        "pytest",
        "--nbval",
        "--nbval-cell-timeout",
        "120",
        "--durations=0",
    ]
    return subprocess.run(
        [*command, "--color=no", "-p", "no:cacheprovider", "--rootdir", folder, "case.ipynb"],
        capture_output=True,
        text=True,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests")])},
    )


def failures(result):
    """Return what is said of each cell that failed."""
    parts = re.split(
        r"^_+ .*Cell (\d+) _+$", result.stdout.partition("short test summary")[0], flags=re.M
    )
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_what_goes_wrong_is_reported_and_a_dead_kernel_within_seconds(tmp_path):
    cells = {
        "assert 1 + 1 == 3": [],
        "print(2)": [output("1\n")],
        "print(1)": [output("1\n")],
        TRANSPORT: [output("ipc\n")],
        "import sys\nprint('a deprecation', file=sys.stderr)\nprint(2)": [output("2\n")],
        "print('seen just before', file=sys.stderr)\n1 / 0": [],
        "import os, time\nprint('epoch 7')\ntime.sleep(1)\nos.kill(os.getpid(), 9)": [],
        "1 + 1": [],
    }
    result = nbval(tmp_path, cells)
    assert result.returncode == 1
    assert "6 failed, 2 passed" in result.stdout
    said = failures(result)
    assert "AssertionError" in said["0"]
    assert "Cell outputs differ" in said["1"]
    assert "wrote to standard error:\na deprecation\n" in said["4"]
    for text in ("ZeroDivisionError", "wrote to standard error:\nseen just before\n"):
        assert text in said["5"]
    for text in ("died while it ran this cell", "os.kill(os.getpid(), 9)", "written:\nepoch 7\n"):
        assert text in said["6"]
    (seconds,) = re.findall(r"([\d.]+)s call .*Cell 6$", result.stdout, re.M)
    assert float(seconds) < 60, "not after the cell's limit, also on a busy machine"


SHOWS = """\
from types import SimpleNamespace
import matplotlib.pyplot as plt
from IPython.display import Image, display
from course_utils.figures.in_notebooks import prepare_figures
prepare_figures()
def show(title, x=(0, 1), y=(2, 3)):
    ax = plt.figure().gca()
    ax.set_title(title)
    ax.plot(x, y)
    display(ax.figure)
    plt.close()
def picture(data):
    display({"image/png": data}, raw=True)
"""


def test_a_figure_that_changed_is_noticed(tmp_path):
    same = figure("The loss. Line from (0, 2) to (1, 3).")
    smaller = figure("The loss. Line from (0, 2) to (1, 3).", size="432x288 with 1 Axes")
    cells = {
        SHOWS: [],
        'show("The loss")': [same],
        'show("The loss", (0, 7), (-1.5e-3, 3))': [same],  # another processor's numbers
        'show("The loss")  # smaller': [smaller],
        'show("The gain")': [same],
        'show("The loss", [], [])': [same],
        'show("The loss", y=(float("nan"), 3))': [same],
        'show("The loss")\nshow("The loss")': [same],
        'picture("stored")': [nbformat.v4.new_output("display_data", data={"image/png": "stored"})],
        'picture("drawn")': [nbformat.v4.new_output("display_data", data={"image/png": "stored"})],
    }
    result = nbval(tmp_path, cells)
    said = failures(result)
    assert sorted(said) == ["4", "5", "6", "7", "9"]
    assert "The gain. Line from" in said["4"]
    assert "Nothing is drawn" in said["5"]
    assert "mismatch 'picture'" in said["9"]
