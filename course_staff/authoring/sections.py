"""How a lesson is divided: the essentials, *Going deeper*, claims, and the minutes of each.

Nothing needs a section headed "Going deeper", or one whose heading starts with "Task:", of which a
learner chooses one; both are shown folded. A cell with the tag ``claims`` asserts what the text
says: only the worked notebook has it. The minutes come from one rate for all lessons.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil

from nbformat import NotebookNode

__all__ = [
    "FOLDED",
    "Times",
    "deeper_cells",
    "fold_code",
    "is_claims",
    "mark_sections",
    "section_problems",
    "times_of",
]

# JupyterLab's own mark of a heading whose section is folded.
FOLDED = "jp-MarkdownHeadingCollapsed"

# The rate: what is read in a minute, and the minutes of what is answered.
_WORDS = 150
_LINES = 10  # of code that is read, and run
_PREDICTION = 1
_EXERCISES = {"predict": 4, "complete": 8, "repair": 8}

_HEADING = re.compile(r"(#+) (.*)")
_KIND = re.compile(r"^### Exercise \d\d\.\d+: .*?\(?(predict|complete|repair)\)?$", re.M)
_HINTS = re.compile(r"<details>.*?</details>", re.S)
_ANSWERED = re.compile(r"^(check|predict)\(")


@dataclass(frozen=True)
class Times:
    """The minutes of the essentials and of what goes deeper, and the exercises of the latter."""

    minutes: int
    deeper_minutes: int
    deeper: tuple[str, ...]


def is_claims(cell: NotebookNode) -> bool:
    """Tell whether a cell asserts what the text says, and belongs to the worked notebook only."""
    return "claims" in cell.metadata.get("tags", [])


def fold_code(cell: NotebookNode) -> None:
    """Have JupyterLab show a cell's code folded."""
    cell.metadata["jupyter"] = {"source_hidden": True}


def deeper_cells(cells: Sequence[NotebookNode]) -> set[int]:
    """Return the indices of the cells that go deeper, their headings included."""
    found, open_level = set(), 0
    for index, cell in enumerate(cells):
        level, title = _heading(cell)
        if open_level and 0 < level <= open_level:
            open_level = 0
        if not open_level and _goes_deeper(title):
            open_level = level
        if open_level:
            found.add(index)
    return found


def times_of(cells: Sequence[NotebookNode]) -> Times:
    """Count the minutes of a lesson at the rate, rounded up to five."""
    deeper = deeper_cells(cells)
    rest = [index for index in range(len(cells)) if index not in deeper]
    marked = [cells[index].metadata for index in sorted(deeper)]
    exercises = tuple(mark["exercise"] for mark in marked if "exercise" in mark)
    return Times(_minutes(cells, rest), _minutes(cells, sorted(deeper)), exercises)


def mark_sections(cells: Sequence[NotebookNode]) -> None:
    """Fold what goes deeper, and write the minutes where the first cell has ``{time}``."""
    for index in deeper_cells(cells):
        if _goes_deeper(_heading(cells[index])[1]):
            cells[index].metadata[FOLDED] = True
    times = times_of(cells)
    text = f"{times.minutes} minutes"
    if times.deeper_minutes:
        text += f", and {times.deeper_minutes} more if you go deeper"
    cells[0].source = cells[0].source.replace("{time}", text)


def section_problems(cells: Sequence[NotebookNode]) -> Iterator[tuple[int, str]]:
    """Yield each cell that is in the wrong section, and why."""
    titles = [_heading(cell)[1] for cell in cells]
    if titles.count("Going deeper") > 1:
        yield (
            titles.index("Going deeper"),
            ("a lesson can have only one section with the heading Going deeper"),
        )
    for index in sorted(deeper_cells(cells)):
        if _heading(cells[index])[0] == 1:
            yield index, "the title of a lesson cannot be in Going deeper"
    for index, cell in enumerate(cells):
        if is_claims(cell) and cell.cell_type != "code":
            yield index, "claims must be assertions in code: make this a code cell"
        elif is_claims(cell) and "assert" not in cell.source:
            yield (
                index,
                (
                    "this cell is tagged claims, but asserts nothing: add an assertion, or "
                    "remove the tag"
                ),
            )


def _goes_deeper(title: str) -> bool:
    return title == "Going deeper" or title.startswith("Task: ")


def _heading(cell: NotebookNode) -> tuple[int, str]:
    match = _HEADING.match(cell.source) if cell.cell_type == "markdown" else None
    return (len(match[1]), match[2]) if match else (0, "")


def _minutes(cells: Sequence[NotebookNode], chosen: Sequence[int]) -> int:
    """Return the minutes that these cells take at the rate, rounded up to five."""
    minutes = 0.0
    for cell in (cells[index] for index in chosen):
        if is_claims(cell):
            continue
        if cell.cell_type == "markdown":
            minutes += len(_HINTS.sub("", cell.source).split()) / _WORDS
            minutes += sum(_EXERCISES[kind] for kind in _KIND.findall(cell.source))
        elif cell.source.startswith("predict("):
            minutes += _PREDICTION
        elif not cell.metadata.get("exercise") and not _ANSWERED.match(cell.source):
            minutes += sum(map(bool, cell.source.splitlines())) / _LINES
        minutes += cell.metadata.get("minutes", 0)
    return 5 * ceil(minutes / 5)
