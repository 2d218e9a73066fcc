"""Decide from measurements whether one gradient is right: a first look, and a closer one on doubt.

No verdict but ``agrees`` is given on one look. The closer look draws fresh directions, tries
several steps along each, and believes a disagreement only when most of them show it clearly.
"""

import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np

from .measurements import KINK_MARGIN, SHARP, Line, Measurement

__all__ = ["Decision", "Verdict", "judge_directions", "judge_entries"]

_Draw = Callable[[np.random.Generator], np.ndarray]  # gives a direction
Verdict = Literal[
    "agrees", "disagrees", "disconnected", "not repeatable", "kink nearby", "cannot tell"
]

# Where every bar is above this part of the derivative, a factor of 1.1 would be less than two bars.
_TOO_WIDE = 0.05
# A derivative this much smaller than the largest, and within its bar, is zero beside the others,
# as that of a bias which batch normalisation removes.
_NEGLIGIBLE = 1e-3

# A disagreement needs so many error bars in the median of the closer directions; near it, more
# directions are drawn, once. Measured over 20 seeds: the median is up to 0.66 where the gradient
# is right, and from 2.36 where it is wrong. To repeat it:
#     python benchmarks/gradient_check.py --only verdicts --seeds 20
_DECISIVE = 1.25
_UNSETTLED = (0.8, 1.8)
_ROUNDS = 2
# The median of seven is wrong if four are. Where a direction in ten lies, that is one gradient in
# 370, and seven more are drawn for a median that is near the limit.
_DIRECTIONS = 7


class Decision(NamedTuple):
    """A verdict, and the measurements it rests on, the most telling one first.

    ``middle`` is the median of the closer looks' excess; 0 where the first look was enough.
    """

    verdict: Verdict
    measurements: list[Measurement]
    middle: float = 0.0


def judge_directions(
    line: Line, directions: int, largest: float, rng: np.random.Generator
) -> Decision:
    """Judge a gradient along random directions, so many in the first look.

    The first follows the gradient, where a wrong factor shows best; the others go through all
    entries, where a wrong entry shows. ``largest`` is the largest norm among the gradients that are
    checked together.
    """
    first = []
    for i in range(directions):
        follows = i == 0 and directions > 1 and line.guided
        direction = line.along(rng) if follows else line.across(rng)
        first.append(line.measure(direction, line.first_step(direction)))
    if not any(line.doubts(m) for m in first) and not _is_wide(line, first, largest, SHARP):
        return Decision("agrees", _most_telling_first(first))
    uneven = functools.partial(line.across, even=False)
    draws: list[_Draw] = [line.along, uneven] if line.guided else [uneven]
    seen, middle = _look_closer(line, draws, _ROUNDS, rng)
    if not seen:
        return Decision("cannot tell", first)
    if middle <= _DECISIVE:
        seen = [m if m.agrees else line.measure_again(m, rng) for m in seen]
    return _decided(line, seen, largest, middle)


def judge_entries(
    line: Line, entries: Sequence[tuple[int, ...]], largest: float, rng: np.random.Generator
) -> Decision:
    """Judge a gradient entry by entry; a doubtful entry is measured again with other steps."""
    looks = [_entry_looked_at(line, entry, rng) for entry in entries]
    seen, worst = [m for m, _ in looks], max(middle for _, middle in looks)
    # One entry at a kink must not pass in the shade of the others.
    size = max([line.norm, *(abs(m.numeric) for m in seen)])
    kinked = [m for m in seen if m.kink > 0 and m.error_bar > _TOO_WIDE * size]
    if kinked and worst <= _DECISIVE:
        return Decision("kink nearby", _most_telling_first(kinked), worst)
    return _decided(line, seen, largest, worst)


def _entry_looked_at(
    line: Line, entry: tuple[int, ...], rng: np.random.Generator
) -> tuple[Measurement, float]:
    """Measure one entry; in doubt, return the middle one of closer looks, and their median."""
    direction, middle = np.zeros_like(line.gradient), 0.0
    direction[entry] = 1.0
    m = line.measure(direction, line.first_step(direction))
    if line.doubts(m):
        looks, middle = _look_closer(line, [lambda _: direction], 1, rng)
        m = _most_telling_first(looks)[len(looks) // 2] if looks else m
    return replace(m, entry=entry), middle


def _look_closer(
    line: Line, draws: Sequence[_Draw], rounds: int, rng: np.random.Generator
) -> tuple[list[Measurement], float]:
    """Look along fresh directions of each draw, in a further round only if the last left doubt.

    Returns what could be measured, and the median of its excess, of the draw where it is largest.
    """
    looks: list[list[Measurement | None]] = [[] for _ in draws]
    for _ in range(rounds):
        for draw, own in zip(draws, looks, strict=True):
            own += [line.measure_closely(draw(rng), rng) for _ in range(_DIRECTIONS)]
        families = [_covering_hidden_kinks([m for m in own if m is not None]) for own in looks]
        # What could not be measured has no excess.
        middle = max(
            float(np.median([m.excess for m in family] + [0.0] * (len(own) - len(family))))
            for family, own in zip(families, looks, strict=True)
        )
        if not _UNSETTLED[0] < middle < _UNSETTLED[1]:
            break
    return [m for family in families for m in family], middle


def _covering_hidden_kinks(family: list[Measurement]) -> list[Measurement]:
    """Let every bar cover the kinks that are typical of measurements along directions drawn alike.

    Where several kinks lie at the point itself, as in a relu network whose biases are zero, the
    jumps of the slope are of either sign and may cancel along one line, though the error they cause
    does not. Along another line they show: a root mean square, which a few lines free of kinks
    hardly change.
    """
    kinks = [m.kink for m in family]
    least = KINK_MARGIN * float(np.sqrt(np.mean(np.square(kinks)))) if kinks else 0.0
    return [replace(m, error_bar=max(m.error_bar, least)) for m in family]


def _is_wide(line: Line, measurements: Sequence[Measurement], largest: float, limit: float) -> bool:
    """Whether even the best error bar is too wide beside the gradient to speak of agreement."""
    if not line.norm:
        moves = any(m.numeric for m in measurements)
        is_finite = any(np.isfinite(m.error_bar) for m in measurements)
        return not is_finite or (moves and line.is_erratic)
    width = min(m.error_bar / abs(m.analytic) if m.analytic else np.inf for m in measurements)
    return width > limit and not 1 <= width <= _NEGLIGIBLE * largest / line.norm


def _decided(line: Line, seen: list[Measurement], largest: float, middle: float) -> Decision:
    """Name what was seen: a mistake, agreement, or the reason why neither is known."""
    outside = not all(m.agrees for m in seen)
    hidden = not line.norm and 2 * sum(line.doubts(m) for m in seen) >= len(seen)
    kinks = sum(m.kink > 0 for m in seen)
    verdict: Verdict
    if middle > _DECISIVE:
        is_aliased = line.is_aliased(_most_telling_first(seen)[0])
        verdict = "cannot tell" if is_aliased else "disagrees"
    elif not (middle > 1 or outside or hidden or _is_wide(line, seen, largest, _TOO_WIDE)):
        verdict = "agrees"
    elif kinks >= (1 if outside else len(seen) / 2):
        verdict = "kink nearby"
    else:
        verdict = "cannot tell"
    return Decision(verdict, _most_telling_first(seen), middle)


def _most_telling_first(measurements: Sequence[Measurement]) -> list[Measurement]:
    return sorted(measurements, key=lambda m: np.nan_to_num(m.excess), reverse=True)
