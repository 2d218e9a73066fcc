"""A tape's drawing as SVG: it follows the theme, and says of each part from which step on it shows.

``data-at`` is that step: without the script that reads it, everything shows.
"""

from collections.abc import Iterable
from html import escape
from typing import Any
from zlib import crc32

import numpy as np
from matplotlib.path import Path

from course_utils.figures.palette import BLUE, GREEN, VERMILLION
from course_utils.tape.drawing.cards import (
    FONT,
    LEADING,
    VALUE,
    card_size,
    height_of,
    lines_of,
    outline_of,
    repeat_size,
    rounded,
    text_width,
)
from course_utils.tape.drawing.folding import Card, Folded
from course_utils.tape.drawing.grouping import Kind
from course_utils.tape.drawing.routing import Layout
from course_utils.tape.drawing.stepping import Timetable
from course_utils.tape.drawing.words import in_words, title_in_words

__all__ = ["DARK", "LIGHT", "svg_of"]

_BORDER = 14.0
_NOTE = 9.5
_PIXELS = 1.3  # of the screen for a point, where there is room
# Ink, paper, and the grey of what passes no gradient.
LIGHT, DARK = ("#1b1f24", "#ffffff", "#5c6168"), ("#e8e8e8", "#111111", "#a0a5ab")
_STYLE = f"""
.course-tape{{--ink:{LIGHT[0]};--paper:{LIGHT[1]};--grey:{LIGHT[2]};background:var(--paper)}}
.course-tape text{{font-family:"{FONT}",Verdana,sans-serif;fill:var(--ink);text-anchor:middle;
dominant-baseline:central}}
.course-tape path{{fill:none;stroke:none}}
.course-tape .face{{fill:color-mix(in srgb,var(--hue) var(--tint,0%),var(--paper));
stroke:var(--hue);stroke-width:1.5}}
.course-tape .operation{{--hue:{BLUE}}}.course-tape .source{{--hue:{GREEN};--tint:12%}}
.course-tape .target{{--hue:{BLUE};--tint:12%}}.course-tape .target .face{{stroke-width:2.2}}
.course-tape .dead{{--hue:var(--grey);--tint:0%}}.course-tape .dead .face{{stroke-dasharray:5 3}}
.course-tape .strip rect{{fill:color-mix(in srgb,{VERMILLION} 14%,var(--paper))}}
.course-tape .strip text{{fill:color-mix(in srgb,{VERMILLION} 62%,var(--ink))}}
.course-tape .dead text,.course-tape .dead .strip text,.course-tape .note{{fill:var(--grey)}}
.course-tape .dead .strip rect{{fill:color-mix(in srgb,var(--grey) 12%,var(--paper))}}
.course-tape .way{{stroke:var(--ink);stroke-width:1.2}}
.course-tape .lost .way{{stroke:var(--grey);stroke-dasharray:4 2.5}}
.course-tape .band{{stroke:color-mix(in srgb,{VERMILLION} 45%,var(--paper));stroke-width:5.5}}
.course-tape .head{{fill:var(--ink)}}.course-tape .lost .head{{fill:var(--grey)}}
.course-tape .back .head,.course-tape .end{{fill:color-mix(in srgb,{VERMILLION} 80%,var(--ink))}}
.course-tape .repeat path{{fill:var(--paper);stroke:var(--hue)}}
"""


def svg_of(folded: Folded, layout: Layout, times: Timetable) -> str:
    """Draw the whole tape, with a title and a description made from what is drawn."""
    width = layout.width + 2 * _BORDER
    height = layout.height + 2 * _BORDER + 1.6 * _NOTE * len(folded.notes)
    name = f"tape-{crc32(in_words(folded).encode()):x}"
    drawn = [_line(path, folded, edge, times) for edge, path in layout.lines.items()]
    for place in layout.places:
        if place.card is not None:
            card = folded.cards[place.card]
            if place.kind == "repeat":
                drawn.append(_repeat(card, place.x, place.y))
            else:
                drawn.append(_card(card, place.card, place.x, place.y, times, name))
    for number, note in enumerate(folded.notes):
        y = layout.height + _BORDER * 0.8 + 1.6 * _NOTE * (number + 0.5)
        drawn.append(
            f'<text class="note" x="0" y="{y:.1f}" font-size="{_NOTE}" '
            f'style="text-anchor:start">{escape(note)}</text>'
        )
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" class="course-tape" role="group" '
        f'viewBox="{-_BORDER} {-_BORDER} {width:.1f} {height:.1f}" '
        f'width="{_PIXELS * width:.0f}" height="{_PIXELS * height:.0f}" '
        'style="max-width:100%;height:auto">'
        f"<title>{escape(title_in_words(folded))}</title><desc>{escape(in_words(folded))}</desc>"
        f"<style>{_STYLE}</style>{''.join(drawn)}</svg>"
    )


def _card(card: Card, i: int, x: float, y: float, times: Timetable, name: str) -> str:
    width, height = card_size(card)
    left, top = x - width / 2, y - height / 2
    outline = _data(outline_of(card, left, top, width, height))
    upper, strip = lines_of(card)
    strip_top = top + height - height_of(strip)
    behind = ""
    if card.kind in (Kind.LAYER, Kind.FOLDED):  # there is more inside
        sheet = rounded(left + 7, top - 5, width - 14, height / 2, 6.0)
        behind = f'<path class="face" d="{_data(sheet)}"/>'
    kind = "source" if card.kind is Kind.SOURCE else "operation"
    look = f"card {kind}{' target' * card.is_target}{'' if card.alive else ' dead'}"
    said = escape(_about(card))
    return (
        f'<g class="{look}" data-card="{i}" data-at="{times.computed[i]}" tabindex="0" role="img" '
        f'aria-label="{said}"><title>{said}</title>{behind}'
        f'<clipPath id="{name}-{i}"><path d="{outline}"/></clipPath>'
        f'<path class="face" d="{outline}"/>{_texts(upper, x, top)}'
        f'<g class="strip later" data-at="{times.arrived[i]}">'
        f'<rect x="{left:.1f}" y="{strip_top:.1f}" width="{width:.1f}" '
        f'height="{height_of(strip):.1f}" clip-path="url(#{name}-{i})"/>'
        f'{_texts(strip, x, strip_top)}</g><path class="face" style="fill:none" d="{outline}"/></g>'
    )


def _about(card: Card) -> str:
    """Say what a card holds: value, shape and dtype, and gradient."""
    parts = [f"{card.title}: {card.value}" if card.value else card.title]
    parts += [f"shape {value.shape}, {value.dtype}" for value in card.leaving]
    return "; ".join([*parts, *card.gradient, *card.details])


def _repeat(card: Card, x: float, y: float) -> str:
    width, height = repeat_size(card)
    path = rounded(x - width / 2, y - height / 2, width, height, height / 2)
    look = "repeat source" if card.alive else "repeat source dead"
    text = _text(card.title, x, y, VALUE, False)
    return f'<g class="{look}" aria-hidden="true"><path d="{_data(path)}"/>{text}</g>'


def _line(path: Path, folded: Folded, edge: tuple[int, int], times: Timetable) -> str:
    reader = folded.cards[edge[1]]
    data, points = _data(path), np.asarray(path.vertices)
    read, passed = (f'data-at="{each[edge[1]]}"' for each in (times.computed, times.passed))
    back = end = ""
    if folded.edges[edge]:
        head = _head(points[0], 10.0, 6.0)
        back = f'<g class="back later" {passed}><path class="band" d="{data}"/>{head}</g>'
    elif any(value.gradient is not None for value in reader.leaving):
        x, y = points[-1]
        end = f'<text class="end later" {passed} x="{x - 15:.1f}" y="{y:.1f}">✗</text>'
    look = "edge" if folded.edges[edge] else "edge lost"
    return (
        f'{back}<g class="{look}" {read}><path class="way" d="{data}"/>'
        f"{_head(points[-1], -8.0, 4.0)}</g>{end}"
    )


def _head(tip: np.ndarray, length: float, half: float) -> str:
    x, y = tip
    corners = Path([(x, y), (x + length, y - half), (x + length, y + half), (x, y)])
    return f'<path class="head" d="{_data(corners)}Z"/>'


def _texts(lines: Iterable[tuple[str, float, bool]], x: float, top: float) -> str:
    y, written = top + 4.0, []
    for text, size, bold in lines:
        written.append(_text(text, x, y + size * LEADING / 2, size, bold))
        y += size * LEADING
    return "".join(written)


def _text(text: str, x: float, y: float, size: float, bold: bool) -> str:
    # The length keeps a text inside its box in whatever font there is.
    length = text_width(text, size, bold)
    weight = ' font-weight="bold"' if bold else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}"{weight} textLength="{length:.1f}" '
        f'lengthAdjust="spacingAndGlyphs">{escape(text)}</text>'
    )


_LETTERS: dict[Any, tuple[str, int]] = {
    Path.MOVETO: ("M", 1),
    Path.LINETO: ("L", 1),
    Path.CURVE3: ("Q", 2),
    Path.CURVE4: ("C", 3),
    Path.CLOSEPOLY: ("Z", 0),
}


def _data(path: Path) -> str:
    """Write a matplotlib path as SVG's."""
    written = []
    for points, code in path.iter_segments(curves=True, simplify=False):
        letter, count = _LETTERS[code]
        written.append(letter + " ".join(f"{number:.1f}" for number in points[: 2 * count]))
    return "".join(written)
