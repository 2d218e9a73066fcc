"""A verdict follows from the numbers beside it, also where a function is full of kinks."""

import pytest

from benchmarks.gradient_cases import KINKED


@pytest.mark.parametrize("network", KINKED, ids=lambda network: network.name)
def test_no_row_of_a_kinked_network_contradicts_itself_or_blames_a_right_gradient(network, seeds):
    assert network.failures(seeds) == []
