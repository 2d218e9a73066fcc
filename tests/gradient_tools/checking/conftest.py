"""The random seeds of the checks: a few on every push, the others in the nightly suite."""

import pytest


@pytest.fixture(
    params=[
        pytest.param(range(3), id="few seeds"),
        pytest.param(range(3, 20), id="more seeds", marks=pytest.mark.nightly),
    ]
)
def seeds(request):
    """Return the seeds of a test; `benchmarks/gradient_check.py` draws up to 500."""
    return request.param
