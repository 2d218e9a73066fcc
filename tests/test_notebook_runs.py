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


def test_what_goes_wrong_is_reported_and_a_dead_kernel_within_seconds(tmp_path):
    printed = nbformat.v4.new_output("stream", name="stdout", text="1\n")
    cells = {
        "assert 1 + 1 == 3": [],
        "print(2)": [printed],
        "print(1)": [printed],
        TRANSPORT: [nbformat.v4.new_output("stream", name="stdout", text="ipc\n")],
        "import os\nos.kill(os.getpid(), 9)": [],
        "1 + 1": [],
    }
    notebook = nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_code_cell(source, execution_count=n, outputs=outputs)
            for n, (source, outputs) in enumerate(cells.items(), start=1)
        ]
    )
    nbformat.write(notebook, tmp_path / "case.ipynb")
    (tmp_path / "conftest.py").write_text((ROOT / "conftest.py").read_text())
    command = [sys.executable, "-m", "pytest", "--nbval", "--nbval-cell-timeout", "120"]
    command += ["--durations=0", "-vv"]
    result = subprocess.run(
        [*command, "-p", "no:cacheprovider", "--rootdir", tmp_path, tmp_path / "case.ipynb"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests")])},
    )
    assert result.returncode == 1
    assert "4 failed, 2 passed" in result.stdout
    for text in ("AssertionError", "Cell outputs differ", "The kernel died while it ran this cell"):
        assert text in result.stdout
    (seconds,) = re.findall(r"([\d.]+)s call .*::Cell 4$", result.stdout, re.M)
    assert float(seconds) < 60, "not after the cell's limit, also on a busy machine"
