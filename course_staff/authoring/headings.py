"""What the builder adds to a lesson's text: the names of its exercises, and what a solution is."""

import re
from collections.abc import Mapping

__all__ = ["as_worked", "with_exercise_names"]

_HEADING = re.compile(r"^### Exercise (\d\d\.\d+): (\w+)$", re.M)

_BANNER = """\

> **Solution**
>
> This is the lesson with its answers and outputs. Run and change it as you like: JupyterLab saves
> nothing here. Your own copy is `work/{name}.ipynb`; `course lab` makes and opens it.
"""


def with_exercise_names(text: str, titles: Mapping[str, str]) -> str:
    """Put an exercise's title into its heading, where the source has its id and its kind alone."""
    return _HEADING.sub(lambda m: f"### Exercise {m[1]}: {titles.get(m[1], '')} ({m[2]})", text)


def as_worked(first_cell: str, name: str) -> str:
    """Say below the title of a lesson that this is its solution."""
    title, _, rest = first_cell.partition("\n")
    return f"{title}\n{_BANNER.format(name=name)}{rest}"
