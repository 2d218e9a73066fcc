"""A tape's drawing as SVG: it follows the theme, and says of each part from which step on it shows.

``data-at`` is that step: without the script that reads it, everything shows.
"""

from html import escape
from typing import Any
from zlib import crc32

import numpy as np
from matplotlib.path import Path

from ..showing.palette import BLUE, GREEN, VERMILLION
from .shapes import BORDER, FONT, CardShape, Picture, RepeatShape, Text, arrowhead
from .stepping import Timetable

__all__ = ["DARK", "LIGHT", "svg_of"]

_PIXELS = 1.3  # of the screen for a point, where there is room
# Ink, paper, and the grey of what passes no gradient.
LIGHT, DARK = ("#1b1f24", "#ffffff", "#5c6168"), ("#e8e8e8", "#111111", "#a0a5ab")
_LETTERS: dict[Any, str] = {Path.MOVETO: "M", Path.LINETO: "L", Path.CLOSEPOLY: "Z"}
_LETTERS |= {Path.CURVE3: "Q", Path.CURVE4: "C"}
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


def svg_of(picture: Picture, times: Timetable) -> str:
    """Draw the whole tape, with a title and a description made from what is drawn."""
    folded, width, height = picture.folded, picture.width, picture.height
    name = f"tape-{crc32(folded.description.encode()):x}"
    drawn = [_line(path, picture, edge, times) for edge, path in picture.lines.items()]
    for shape in picture.shapes:
        drawn.append(_card(shape, times, name) if isinstance(shape, CardShape) else _repeat(shape))
    drawn += [
        f'<text class="note" x="0" y="{note.y:.1f}" font-size="{note.size}" '
        f'style="text-anchor:start">{escape(note.text)}</text>'
        for note in picture.notes
    ]
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" class="course-tape" role="group" '
        f'viewBox="{-BORDER} {-BORDER} {width:.1f} {height:.1f}" '
        f'width="{_PIXELS * width:.0f}" height="{_PIXELS * height:.0f}" '
        'style="max-width:100%;height:auto">'
        f"<title>{escape(folded.title)}</title><desc>{escape(folded.description)}</desc>"
        f"<style>{_STYLE}</style>{''.join(drawn)}</svg>"
    )


def _card(shape: CardShape, times: Timetable, name: str) -> str:
    card, i = shape.card, shape.number
    outline, (left, top, width, height) = _data(shape.outline), shape.strip
    behind = f'<path class="face" d="{_data(shape.behind)}"/>' if shape.behind is not None else ""
    kind = "source" if card.kind == "source" else "operation"
    look = f"card {kind}{' target' * card.is_target}{'' if card.alive else ' dead'}"
    about = [f"{card.title}: {card.value}" if card.value else card.title]
    about += [f"shape {value.shape}, {value.dtype}" for value in card.leaving]
    said = escape("; ".join([*about, *card.gradient, *card.details]))
    return (
        f'<g class="{look}" data-card="{i}" data-at="{times.computed[i]}" tabindex="0" role="img" '
        f'aria-label="{said}"><title>{said}</title>{behind}'
        f'<clipPath id="{name}-{i}"><path d="{outline}"/></clipPath>'
        f'<path class="face" d="{outline}"/>{"".join(map(_text, shape.above))}'
        f'<g class="strip later" data-at="{times.arrived[i]}">'
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" '
        f'height="{height:.1f}" clip-path="url(#{name}-{i})"/>'
        f"{''.join(map(_text, shape.below))}</g>"
        f'<path class="face" style="fill:none" d="{outline}"/></g>'
    )


def _repeat(shape: RepeatShape) -> str:
    look = "repeat source" if shape.card.alive else "repeat source dead"
    name = _text(shape.name)
    return f'<g class="{look}" aria-hidden="true"><path d="{_data(shape.outline)}"/>{name}</g>'


def _line(path: Path, picture: Picture, edge: tuple[int, int], times: Timetable) -> str:
    reader, alive = edge[1], picture.folded.edges[edge]
    read, passed = (f'data-at="{each[reader]}"' for each in (times.computed, times.passed))
    data, head, larger_head = map(_data, (path, arrowhead(path), arrowhead(path, of_gradient=True)))
    way = f'<path class="way" d="{data}"/><path class="head" d="{head}Z"/>'
    if alive:
        band = f'<path class="band" d="{data}"/><path class="head" d="{larger_head}Z"/>'
        back = f'<g class="back later" {passed}>{band}</g>'
        return f'{back}<g class="edge" {read}>{way}</g>'
    end = ""
    if picture.folded.cards[reader].arriving:
        x, y = np.asarray(path.vertices)[-1]
        end = f'<text class="end later" {passed} x="{x - 15:.1f}" y="{y:.1f}">✗</text>'
    return f'<g class="edge lost" {read}>{way}</g>{end}'


def _text(text: Text) -> str:
    # The length keeps a text inside its box in whatever font there is.
    weight = ' font-weight="bold"' if text.bold else ""
    return (
        f'<text x="{text.x:.1f}" y="{text.y:.1f}" font-size="{text.size}"{weight} '
        f'textLength="{text.width:.1f}" lengthAdjust="spacingAndGlyphs">{escape(text.text)}</text>'
    )


def _data(path: Path) -> str:
    """Write a matplotlib path as SVG's."""
    written = []
    for points, code in path.iter_segments(curves=True, simplify=False):
        numbers = points if code != Path.CLOSEPOLY else ()
        written.append(_LETTERS[code] + " ".join(f"{number:.1f}" for number in numbers))
    return "".join(written)
