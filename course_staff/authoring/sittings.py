"""How a lesson is divided: its sittings, what can wait, and how many minutes each takes.

A section whose heading starts with "Further:" is needed by nothing after it, and is shown folded. A
heading "Sitting 2: ..." starts another sitting. The minutes come from one rate for all lessons.
"""

import re
from collections.abc import Iterator, Sequence
from math import ceil

from nbformat import NotebookNode

from course_utils.workspace.curriculum import Sitting

__all__ = ["FOLDED", "further_cells", "mark_sections", "section_problems", "sittings_of"]

# JupyterLab's own mark of a heading whose section is folded.
FOLDED = "jp-MarkdownHeadingCollapsed"

# The rate: what is read in a minute, and the minutes of what is answered.
_WORDS = 150
_LINES = 10  # of code that is read, and run
_PREDICTION = 1
_EXERCISES = {"predict": 4, "complete": 8, "repair": 8}

_HEADING = re.compile(r"(#+) (.*)")
_LATER_HEADING = re.compile(r"\n#{2,3} ")
_SITTING = re.compile(r"## Sitting (\d): (.+)")
_KIND = re.compile(r"^### Exercise \d\d\.\d+: .*?\(?(predict|complete|repair)\)?$", re.M)
_HINTS = re.compile(r"<details>.*?</details>", re.S)
_ANSWERED = re.compile(r"^(check|predict)\(")


def further_cells(cells: Sequence[NotebookNode]) -> set[int]:
    """Return the indices of the cells in sections that can wait, their headings included."""
    found, open_level = set(), 0
    for index, cell in enumerate(cells):
        level, title = _heading(cell)
        if open_level and 0 < level <= open_level:
            open_level = 0
        if title.startswith("Further: "):
            open_level = level
        if open_level:
            found.add(index)
    return found


def sittings_of(cells: Sequence[NotebookNode]) -> list[Sitting]:
    """Return a lesson's sittings: one without a title where no heading starts another."""
    further = further_cells(cells)
    starts = [i for i, cell in enumerate(cells) if _SITTING.match(cell.source)]
    ends = [*starts[1:], len(cells)] if starts else [len(cells)]
    begins = [0, *starts[1:]]
    return [
        Sitting(
            title=_SITTING.match(cells[start].source)[2] if starts else "",  # type: ignore[index]
            minutes=_minutes(cells, [i for i in range(first, end) if i not in further]),
            further=_minutes(cells, [i for i in range(first, end) if i in further]),
            exercises=tuple(_exercises(cells[first:end])),
        )
        for start, first, end in zip(starts or [0], begins, ends, strict=True)
    ]


def mark_sections(cells: Sequence[NotebookNode]) -> None:
    """Fold what can wait, and say the minutes where a lesson or a sitting says ``{time}``."""
    for index in further_cells(cells):
        if _heading(cells[index])[0]:
            cells[index].metadata[FOLDED] = True
    sittings = sittings_of(cells)
    headings = [cell for cell in cells if _SITTING.match(cell.source)]
    parts = [(cell, [each]) for cell, each in zip(headings, sittings, strict=False)]
    for cell, group in [(cells[0], sittings), *parts]:
        cell.source = cell.source.replace("{time}", _in_words(group))


def _in_words(sittings: Sequence[Sitting]) -> str:
    """Say how long a lesson takes, for its first cell, or one of its sittings."""
    core, further = (sum(getattr(s, name) for s in sittings) for name in ("minutes", "further"))
    said = f"{core} minutes"
    if len(sittings) > 1:
        *most, last = [str(sitting.minutes) for sitting in sittings]
        said += f", in sittings of {', '.join(most)} and {last}"
    if further:
        said += f"{',' if len(sittings) > 1 else ''} and {further} for what is headed *Further*"
    return said


def section_problems(cells: Sequence[NotebookNode]) -> Iterator[tuple[int, str]]:
    """Yield each cell whose place among sittings and further sections is wrong, and why."""
    further, last = further_cells(cells), 0
    for index, cell in enumerate(cells):
        if index in further and cell.metadata.get("exercise"):
            yield index, "an exercise stands in a section that can wait: move it into the core"
        level, title = _heading(cell)
        inside = _LATER_HEADING.search(cell.source) if cell.cell_type == "markdown" else None
        if index in further and (inside or (level and not title.startswith("Further: "))):
            yield index, "a section that can wait has a heading inside: it is folded as one"
        if sitting := _SITTING.match(cell.source):
            if int(sitting[1]) != last + 1:
                yield index, f"sitting {sitting[1]} does not follow on sitting {last}"
            last = int(sitting[1])
    if last == 1:
        yield 0, "a lesson of one sitting has no heading for it"


def _heading(cell: NotebookNode) -> tuple[int, str]:
    found = _HEADING.match(cell.source) if cell.cell_type == "markdown" else None
    return (len(found[1]), found[2]) if found else (0, "")


def _exercises(cells: Sequence[NotebookNode]) -> list[str]:
    return [cell.metadata["exercise"] for cell in cells if "exercise" in cell.metadata]


def _minutes(cells: Sequence[NotebookNode], chosen: Sequence[int]) -> int:
    """Return what these cells take at the rate, rounded up to five minutes."""
    minutes = 0.0
    for cell in (cells[index] for index in chosen):
        if cell.cell_type == "markdown":
            minutes += len(_HINTS.sub("", cell.source).split()) / _WORDS
            minutes += sum(_EXERCISES[kind] for kind in _KIND.findall(cell.source))
        elif cell.source.startswith("predict("):
            minutes += _PREDICTION
        elif not cell.metadata.get("exercise") and not _ANSWERED.match(cell.source):
            minutes += sum(map(bool, cell.source.splitlines())) / _LINES
        minutes += cell.metadata.get("minutes", 0)
    return 5 * ceil(minutes / 5)
