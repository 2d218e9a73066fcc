"""Settings of every test run: where progress is written, and where real MNIST may stand."""

import os
import tempfile
from pathlib import Path

# Notebooks that a test runs must not touch the progress of whoever runs the tests.
os.environ.setdefault("COURSE_PROGRESS_FILE", f"{tempfile.mkdtemp(prefix='course-')}/progress.json")

# Real MNIST is used where it stands beside the checkout; everything passes without it.
_mnist = Path(__file__).parents[1] / "shared" / "data"
if (_mnist / "mnist.npz").exists():
    os.environ.setdefault("COURSE_DATA_DIR", str(_mnist))
