"""That a notebook which goes wrong under test is reported, and quickly."""

import os
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).parents[1]


def run_nbval(tmp_path, *sources, outputs=()):
    """Store the cells as executed and run strict nbval on them with the settings of the course."""
    cells = [
        nbformat.v4.new_code_cell(source, execution_count=n, outputs=list(outputs))
        for n, source in enumerate(sources, start=1)
    ]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "case.ipynb")
    (tmp_path / "conftest.py").write_text((ROOT / "conftest.py").read_text())
    command = [sys.executable, "-m", "pytest", "--nbval", "--nbval-cell-timeout", "120"]
    start = time.monotonic()
    result = subprocess.run(
        [*command, "-p", "no:cacheprovider", "--rootdir", tmp_path, tmp_path / "case.ipynb"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    return result, time.monotonic() - start


def test_a_dead_kernel_is_reported_within_seconds(tmp_path):
    result, seconds = run_nbval(tmp_path, "import os\nos.kill(os.getpid(), 9)", "print(1)")
    assert result.returncode == 1
    assert "The kernel died while it ran this cell" in result.stdout
    assert seconds < 60, "not after the cell's limit, also on a busy machine"


@pytest.mark.parametrize(
    ("source", "text"),
    [("assert 1 + 1 == 3", "AssertionError"), ("print(2)", "Cell outputs differ")],
)
def test_a_false_claim_and_a_changed_output_fail(tmp_path, source, text):
    stored = [nbformat.v4.new_output("stream", name="stdout", text="1\n")]
    result, _ = run_nbval(tmp_path, source, outputs=stored)
    assert result.returncode == 1 and text in result.stdout
