"""A verdict follows from the numbers beside it, also where a function is full of kinks."""

import pytest

from benchmarks.gradient_cases import KINKED


# The usual verdict is that of most seeds. Single verdicts depend on how a processor rounds, so
# three seeds would be too few.
@pytest.mark.parametrize(
    "seeds",
    [
        pytest.param(range(12), id="twelve seeds"),
        pytest.param(range(12, 32), id="more seeds", marks=pytest.mark.nightly),
    ],
)
@pytest.mark.parametrize("network", KINKED, ids=lambda network: network.name)
def test_no_row_of_a_kinked_network_contradicts_itself_or_blames_a_right_gradient(network, seeds):
    assert network.failures(seeds) == []
