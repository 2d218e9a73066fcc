"""Wrong answers to the questions of the sample."""

from course_utils.exercises import Table, Wrong

MISTAKES = {
    "01.1": {"half": Wrong("The rule gives 2x, and this is x.", lambda x: x)},
    "01.2": Table({(2, 4): "The two numbers are exchanged."}, "Count rows and columns."),
    "01.3": {"squared": Wrong("This is the square.", lambda x: x * x)},
}
