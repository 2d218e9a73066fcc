import pytest

from course_staff.authoring.regions import RegionError, as_solution, as_stub

FUNCTION = '''\
def f(x):
    """Return the double of x."""
    ### BEGIN SOLUTION
    y = 2 * x
    return y
    ### END SOLUTION
'''

REPAIR = """\
def f(x):
    # Mend this.
    ### BEGIN SOLUTION
    #| if x:
    #|     return x
    #|
    return 2 * x
    ### END SOLUTION
"""


def test_a_function_body_becomes_not_implemented():
    assert as_stub(FUNCTION) == (
        'def f(x):\n    """Return the double of x."""\n    raise NotImplementedError'
    )


def test_the_solution_loses_its_markers():
    assert as_solution(FUNCTION) == (
        'def f(x):\n    """Return the double of x."""\n    y = 2 * x\n    return y'
    )


def test_values_at_the_top_level_become_open():
    source = "# Two values.\n### BEGIN SOLUTION\na = 1\nb: int = 2\n### END SOLUTION"
    assert as_stub(source.replace("b: int", "b")) == "# Two values.\na = ...\nb = ..."
    assert as_stub(source) == "# Two values.\nraise NotImplementedError"


def test_given_lines_stand_in_the_stub_alone():
    assert as_stub(REPAIR) == "def f(x):\n    # Mend this.\n    if x:\n        return x"
    assert as_solution(REPAIR) == "def f(x):\n    # Mend this.\n    return 2 * x"


def test_a_line_that_is_only_missing():
    source = "# Add a line.\n### BEGIN SOLUTION\n#|\nx = 1\n### END SOLUTION\nprint(1)"
    assert as_stub(source) == "# Add a line.\nprint(1)"


def test_a_cell_without_a_region_stays():
    assert as_stub("x = 1\n\ny = 2") == as_solution("x = 1\n\ny = 2") == "x = 1\n\ny = 2"


@pytest.mark.parametrize(
    ("source", "line", "message"),
    [
        (FUNCTION.replace("    ### END SOLUTION\n", ""), 3, "left open"),
        (FUNCTION.replace("    ### BEGIN SOLUTION\n", ""), 5, "without a ### BEGIN"),
        ("# a\n### BEGIN SOLUTION\n### BEGIN SOLUTION\n", 3, "a second ### BEGIN"),
        ("x = 1\n### BEGIN SOLUTION\ny = 1\n### END SOLUTION", 2, "nothing says what to write"),
    ],
)
def test_a_malformed_region_is_named_with_its_line(source, line, message):
    for read in (as_stub, as_solution):
        with pytest.raises(RegionError, match=message) as error:
            read(source)
        assert error.value.line == line
