"""Two workers, of which one dies, end with the weights of one device."""

import subprocess
import sys

import pytest


@pytest.mark.nightly
def test_a_worker_that_dies_costs_nothing(pytestconfig):
    program = pytestconfig.rootpath / "examples" / "two_workers.py"
    run = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=400)
    assert run.returncode == 0, run.stdout + run.stderr
    for index in range(2):
        assert f"Worker {index}: began after step 2, ended after step 4." in run.stdout
    assert "Largest difference from one device that was never interrupted:" in run.stdout
