"""That the README's examples give what stands there."""

import doctest
from pathlib import Path


def test_the_examples_of_the_readme():
    readme = str(Path(__file__).parents[1] / "README.md")
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    result = doctest.testfile(readme, module_relative=False, optionflags=options)
    assert result.attempted >= 8 and result.failed == 0
