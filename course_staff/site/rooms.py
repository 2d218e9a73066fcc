"""The rooms of the house as a picture, drawn from what their modules import."""

import ast
from collections.abc import Iterator
from html import escape
from pathlib import Path

from course_utils.course.lesson_map import WIDTH, box, centres_and_ways, draw_ways
from course_utils.figures.style import make_axes
from gradient_tools.showing.palette import COLORS

from .linked_map import svg_of, use_no_display

__all__ = ["PACKAGES", "picture_of_rooms", "rooms_below"]

PACKAGES = ("course_staff", "course_utils", "gradient_tools")
_HEIGHT = 34  # points, of a box with two lines
_MARGIN = 4

Room = tuple[str, ...]  # the folders that lead to it


def rooms_below(root: Path) -> dict[Room, list[Room]]:
    """Return each folder of modules with those that it imports from, those that import first."""
    folders: dict[Room, list[Path]] = {}
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            folder = path.relative_to(root).parts[:-1]
            is_start = path.name == "__init__.py"  # where it is alone, there is no room
            if not is_start and (len(folder) > 1 or path.name == "commands.py"):
                folders.setdefault(folder, []).append(path)
    imported = {
        room: {_room_of(name, set(folders)) for path in paths for name in _imports(path, room)}
        for room, paths in folders.items()
    }
    below = {room: sorted(filter(None, rooms - {room})) for room, rooms in imported.items()}
    ordered: dict[Room, list[Room]] = {}
    while len(ordered) < len(below):
        free = [r for r in below if r not in ordered and not _importers(r, below) - {*ordered}]
        if not free:
            raise ValueError(f"The imports of {sorted(below.keys() - ordered.keys())} go round.")
        ordered |= {room: below[room] for room in free}
    return ordered


def _importers(room: Room, below: dict[Room, list[Room]]) -> set[Room]:
    return {other for other, rooms in below.items() if room in rooms}


def _imports(path: Path, folder: Room) -> Iterator[Room]:
    """Yield what a module imports, anywhere in it, as the parts of dotted names."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (tuple(alias.name.split(".")) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = folder[: len(folder) + 1 - node.level] if node.level else ()
            start = (*base, *(node.module or "").split(".")) if node.module else base
            yield from ((*start, alias.name) for alias in node.names)


def _room_of(name: Room, rooms: set[Room]) -> Room | None:
    """Return the innermost room in which a dotted name stands."""
    starts = (name[:length] for length in range(len(name), 1, -1))
    return next((start for start in starts if start in rooms), None)


def picture_of_rooms(root: Path) -> str:
    """Return the picture as SVG on one line, with its arrows in words.

    An arrow is left out where a longer way says the same.
    """
    use_no_display()
    below = rooms_below(root)
    shown = {room: _not_said_otherwise(room, below) for room in below}
    above = {room: [r for r in shown if room in shown[r]] for room in shown}
    centres, ways = centres_and_ways(
        {"/".join(r): ["/".join(a) for a in above[r]] for r in above}, _HEIGHT
    )
    across, down = zip(*centres, strict=True)
    left, right = min(across) - WIDTH / 2 - _MARGIN, max(across) + WIDTH / 2 + _MARGIN
    bottom, top = min(down) - _HEIGHT / 2 - _MARGIN, _HEIGHT / 2 + _MARGIN
    ax = make_axes(None, ((right - left) / 72, (top - bottom) / 72))
    for room, (x, y) in zip(shown, centres, strict=False):
        colour = COLORS[PACKAGES.index(room[0])]
        ax.add_patch(box(x, y, _HEIGHT, colour, 0.12))
        text = f"{room[0]}\n{'/'.join(room[1:]) or 'commands'}"
        ax.text(x, y, text, color="#111111", fontsize=8, ha="center", va="center", zorder=3)
    draw_ways(ax, ways, _HEIGHT)
    ax.set(xlim=(left, right), ylim=(bottom, top), aspect="equal")
    ax.axis("off")
    ax.set_position((0, 0, 1, 1))
    said = " ".join(f"{_name(room)} imports {_listed(rooms)}." for room, rooms in below.items())
    label = escape(f"The rooms, from those that import to those that are imported. {said}")
    svg = svg_of(ax).replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1)
    return f'<div class="rooms">{svg}</div>'


def _not_said_otherwise(room: Room, below: dict[Room, list[Room]]) -> list[Room]:
    longer = set().union(*(_all_below(other, below) for other in below[room]))
    return [other for other in below[room] if other not in longer]


def _all_below(room: Room, below: dict[Room, list[Room]]) -> set[Room]:
    return set(below[room]).union(*(_all_below(other, below) for other in below[room]))


def _name(room: Room) -> str:
    return ".".join(room)


def _listed(rooms: list[Room]) -> str:
    return ", ".join(map(_name, rooms)) or "none of the others"
