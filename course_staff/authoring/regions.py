"""Solution regions: what stands between the markers, and what a learner sees in its place."""

import ast
import textwrap
from collections.abc import Iterator

__all__ = ["BEGIN", "END", "GIVEN", "RegionError", "as_solution", "as_stub"]

BEGIN = "### BEGIN SOLUTION"
END = "### END SOLUTION"
# Inside a region, a line `#| code` is what the learner is given in place of the solution.
GIVEN = "#|"


class RegionError(ValueError):
    """A solution region is malformed; ``line`` counts from 1 within the cell."""

    def __init__(self, line: int, message: str):
        super().__init__(message)
        self.line = line


def as_solution(source: str) -> str:
    """Return a worked cell without its markers and without the lines given to learners."""
    lines = []
    for line, region in _parts(source):
        lines += [line] if region is None else [x for x in region if not _is_given(x)]
    return "\n".join(lines)


def as_stub(source: str) -> str:
    """Return the cell that a learner starts from.

    A region becomes the lines it gives (``#| code``), or ``name = ...`` where it only assigns
    values at the top level, or ``raise NotImplementedError``.
    """
    lines = []
    for line, region in _parts(source):
        lines += [line] if region is None else _stub_of(region, indent=_indent(line))
    return "\n".join(lines)


def _parts(source: str) -> Iterator[tuple[str, list[str] | None]]:
    """Yield each line outside a region with None, and each region's first line with its body."""
    region: list[str] | None = None
    opened, opening = 0, ""
    lines = source.splitlines()
    for number, line in enumerate(lines, start=1):
        if line.strip() == BEGIN:
            if region is not None:
                raise RegionError(number, f"a second {BEGIN} inside a region: close the first one")
            _require_instruction(lines, number)
            region, opened, opening = [], number, line
        elif line.strip() == END:
            if region is None:
                raise RegionError(number, f"{END} without a {BEGIN} above it")
            yield opening, region
            region = None
        elif region is not None:
            region.append(line)
        else:
            yield line, None
    if region is not None:
        raise RegionError(opened, f"this solution region is left open: add {END} below it")


def _require_instruction(lines: list[str], number: int) -> None:
    above = lines[number - 2].strip() if number > 1 else ""
    if not (above.startswith("#") or above.endswith('"""')):
        raise RegionError(
            number,
            "nothing says what to write here: put a comment or a docstring just above the region",
        )


def _stub_of(region: list[str], indent: str) -> list[str]:
    given = [line for line in region if _is_given(line)]
    if given:
        return [x for line in given if (x := line.replace(f"{GIVEN} ", "", 1)).strip() != GIVEN]
    statements = ast.parse(textwrap.dedent("\n".join(region))).body
    if not indent and all(isinstance(statement, ast.Assign) for statement in statements):
        targets = (s.targets[0] for s in statements if isinstance(s, ast.Assign))
        return [f"{ast.unparse(target)} = ..." for target in targets]
    return [f"{indent}raise NotImplementedError"]


def _is_given(line: str) -> bool:
    return line.lstrip().startswith(GIVEN)


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]
