"""Three versions of a notebook meet: what was given, what is given now, and what a learner has.

A learner's text always stays. A cell that nobody touched becomes the new one. Where both sides
changed a cell, the learner's stays, and the new one is shown below it as text, which never runs.
"""

import hashlib
from bisect import bisect_left
from collections.abc import Callable, Hashable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Any, TypedDict

__all__ = ["Cell", "CellChange", "Notebook", "merged", "name_of"]

_SIMILAR = 0.5  # of the letters of two cells, for one to be the other, corrected
_HEADING = (
    "**This cell has been corrected. Your version is above, unchanged. Here is the corrected one:**"
)


class _EveryCell(TypedDict):
    cell_type: str
    source: str
    metadata: dict[str, Any]


class Cell(_EveryCell, total=False):
    """A cell of a notebook as JSON gives it, but with its source as one text."""

    id: str  # some editors keep none
    outputs: list[dict[str, Any]]
    execution_count: int | None
    attachments: dict[str, Any]


class Notebook(TypedDict):
    """A notebook of format 4, as JSON gives it."""

    cells: list[Cell]
    metadata: dict[str, Any]
    nbformat: int
    nbformat_minor: int


@dataclass(frozen=True)
class CellChange:
    """What becomes of one cell: ``what`` happens, and which cell it is, in a few words."""

    what: str
    cell: str


def name_of(cell: Cell) -> str:
    """Return a cell in a few words: its exercise, or how its text begins."""
    exercise = cell["metadata"].get("exercise")
    if exercise:
        return f"exercise {exercise}"
    first = next(filter(None, map(str.strip, cell["source"].splitlines())), "an empty cell")
    return first if len(first) <= 60 else f"{first[:57]}..."


def merged(base: Notebook, mine: Notebook, new: Notebook) -> tuple[Notebook, list[CellChange]]:
    """Return the notebook that keeps what the learner did and takes up what the author did.

    Parameters
    ----------
    base, mine : Notebook
        The notebook that the learner was given, and the learner's copy.
    new : Notebook
        The notebook that is given now.

    Returns
    -------
    notebook : Notebook
        The cells of ``new`` in their order. A cell that the learner wrote in, added or moved stays,
        after the cell that it follows in ``mine``. A cell that the learner deleted stays deleted.
    changes : list of CellChange
        What becomes of each cell that is not simply as it was.

    Notes
    -----
    Cells are matched by exercise, by id, and by equal text if an editor gave new ids. A corrected
    cell has a new id, so between two matched cells the most similar ones are matched. A cell has
    moved if it is not on a longest common subsequence of both orders.
    """
    in_new = {key: cell for key, cell in zip(_keys_of_new(base, new), new["cells"], strict=True)}
    mine_keys = _keys_of_mine(base, mine, in_new)
    in_mine = dict(zip(mine_keys, mine["cells"], strict=True))
    numbers = [key for key in mine_keys if isinstance(key, int)]
    moved = set(numbers) - set(_in_order(numbers))
    there = {cell.get("id") for cell in mine["cells"]}
    changes: list[CellChange] = []
    cells: dict[Hashable, list[Cell]] = {}
    for key in {**in_new, **in_mine}:  # those of the new notebook in their order, then the rest
        old = base["cells"][key] if isinstance(key, int) else None
        what, group = _meeting(old, in_mine.get(key), in_new.get(key))
        # An earlier update may have added the correction below a cell already.
        cells[key] = group[:1] + [cell for cell in group[1:] if cell["id"] not in there]
        if what:
            cell = in_new[key] if key in in_new else in_mine[key]
            changes.append(CellChange(what, name_of(cell)))
    order = [key for key in in_new if cells[key] and key not in moved]
    for number, key in enumerate(mine_keys):
        if cells[key] and key not in order:
            before = [order.index(k) for k in reversed(mine_keys[:number]) if k in order]
            order.insert(before[0] + 1 if before else 0, key)
    result = deepcopy(new)
    result["cells"] = _with_ids_of_their_own([cell for key in order for cell in cells[key]])
    result["metadata"] = _merged_entries(base["metadata"], mine["metadata"], new["metadata"])
    result["metadata"]["course"] = new["metadata"].get("course", {})
    return result, changes


def _meeting(old: Cell | None, own: Cell | None, new: Cell | None) -> tuple[str, list[Cell]]:
    """Return what happens to one cell, in words, and the cells that stand for it."""
    if own is None:
        if new is None:
            return "", []
        if old is None:
            return "new", [deepcopy(new)]
        return ("corrected, but deleted in your copy" if _is_touched(old, new) else ""), []
    if new is None:
        if old is None:
            return "", [deepcopy(own)]
        if _is_touched(old, own):
            return "removed from the lesson, but kept in your copy", [deepcopy(own)]
        return "removed", []
    old = old or new  # one that an earlier update has put there
    kept = deepcopy(new)
    kept["metadata"] = _merged_entries(old["metadata"], own["metadata"], new["metadata"])
    if not _is_touched(new, own):
        return "", [_as_it_ran(kept, own)]
    if not _is_touched(old, own):
        return "updated", [kept]
    kept = _as_it_ran(kept, own)
    kept["source"], kept["cell_type"] = own["source"], own["cell_type"]
    if not _is_touched(old, new):
        return "", [kept]
    return "kept in your version, with the correction below", [kept, _beside(new)]


def _is_touched(old: Cell, cell: Cell) -> bool:
    return (old["cell_type"], old["source"]) != (cell["cell_type"], cell["source"])


def _as_it_ran(cell: Cell, own: Cell) -> Cell:
    """Return a cell with the outputs and the attachments of the learner's."""
    result = deepcopy(own)
    result["source"], result["cell_type"] = cell["source"], cell["cell_type"]
    result["id"], result["metadata"] = cell["id"], cell["metadata"]
    return result


def _beside(new: Cell) -> Cell:
    """Return the text that shows a corrected cell; code in it is read, and never runs."""
    source = new["source"]
    shown = f"```python\n{source}\n```" if new["cell_type"] == "code" else source
    digest = hashlib.sha256(source.encode()).hexdigest()[:8]
    return {
        "cell_type": "markdown",
        "id": f"{new['id'][:40]}-new-{digest}",
        "metadata": {},
        "source": f"{_HEADING}\n\n{shown}",
    }


def _merged_entries(
    base: Mapping[str, Any], mine: Mapping[str, Any], new: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the entries of ``new``, except for those that the learner, or an editor, changed."""
    result = {}
    for key in {**new, **mine}:
        source = new if mine.get(key) == base.get(key) else mine
        if key in source:
            result[key] = deepcopy(source[key])
    return result


def _match(base: Sequence[Cell], cells: Sequence[Cell]) -> list[int | None]:
    """Return, for each of ``cells``, the number of the base cell that it is, or None."""
    found: list[int | None] = [None] * len(cells)
    free = dict(enumerate(base))

    def take(signature: Callable[[Cell], Hashable]) -> None:
        numbers: dict[Hashable, list[int]] = {}
        for number, cell in free.items():
            numbers.setdefault(signature(cell), []).append(number)
        for place, cell in enumerate(cells):
            known = signature(cell)
            if found[place] is None and known and numbers.get(known):
                number = found[place] = numbers[known].pop(0)
                del free[number]

    # A copied cell makes two for one exercise. The one that was given counts.
    take(lambda cell: (cell["metadata"].get("exercise"), cell.get("id")))
    take(lambda cell: cell["metadata"].get("exercise"))
    take(lambda cell: cell.get("id"))
    take(lambda cell: (cell["cell_type"], cell["source"]) if cell["source"].strip() else None)
    return found


def _keys_of_new(base: Notebook, new: Notebook) -> list[Hashable]:
    """Return the key of each new cell: the number of its base cell, or its own id."""
    found = _match(base["cells"], new["cells"])
    anchors = [-1, *_in_order([n for n in found if n is not None]), len(base["cells"])]
    places = [-1, *(found.index(number) for number in anchors[1:-1]), len(found)]
    for (first, last), (start, end) in zip(pairwise(anchors), pairwise(places), strict=True):
        free = [number for number in range(first + 1, last) if number not in found]
        for place in range(start + 1, end):
            if found[place] is None:
                best = found[place] = _most_alike(new["cells"][place], base["cells"], free)
                if best is not None:  # a later one is further down
                    free = [number for number in free if number > best]
    return [
        number if number is not None else ("new", cell["id"])
        for number, cell in zip(found, new["cells"], strict=True)
    ]


def _most_alike(cell: Cell, base: Sequence[Cell], free: Sequence[int]) -> int | None:
    """Return which of the ``free`` base cells became this cell, if one did."""
    if cell["metadata"].get("exercise"):
        return None

    def likeness(number: int) -> float:
        old = base[number]
        if old["cell_type"] != cell["cell_type"] or old["metadata"].get("exercise"):
            return 0.0
        return SequenceMatcher(None, old["source"], cell["source"], autojunk=False).ratio()

    best = max(free, key=likeness, default=None)
    return best if best is not None and likeness(best) >= _SIMILAR else None


def _keys_of_mine(
    base: Notebook, mine: Notebook, in_new: Mapping[Hashable, Cell]
) -> list[Hashable]:
    """Return the key of each of the learner's cells. The key of an added cell is its position."""
    keys: list[Hashable] = list(_match(base["cells"], mine["cells"]))
    for place, cell in enumerate(mine["cells"]):
        if keys[place] is None:
            # One that an interrupted update, or a copy of the new notebook, has put there.
            known = ("new", cell.get("id"))
            keys[place] = known if known in in_new and known not in keys else ("mine", place)
    return keys


def _in_order(numbers: Sequence[int]) -> list[int]:
    """Return a longest increasing subsequence of different numbers."""
    tops: list[int] = []  # of subsequences of length 1, 2, ..., the smallest last number
    lengths = []
    for number in numbers:
        length = bisect_left(tops, number)
        tops[length : length + 1] = [number]
        lengths.append(length)
    chosen: list[int] = []
    wanted = len(tops) - 1
    for number, length in zip(reversed(numbers), reversed(lengths), strict=True):
        if length == wanted and (not chosen or number < chosen[-1]):
            chosen.append(number)
            wanted -= 1
    return chosen[::-1]


def _with_ids_of_their_own(cells: list[Cell]) -> list[Cell]:
    """Return the cells, each with an id that no other has: some editors keep none, or copy them."""
    taken: set[str] = set()
    for number, cell in enumerate(cells):
        own = cell.get("id") or f"cell-{number}"
        while own in taken:
            own = f"{own[:56]}-{number}"
        cell["id"] = own
        taken.add(own)
    return cells
