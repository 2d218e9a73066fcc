"""Decide from measurements whether one gradient is right: a first look, and a closer one on doubt.

No verdict but ``agrees`` is given on one look. The closer look draws fresh directions, tries
several steps along each, and believes a disagreement only when most of them show it clearly.
"""

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .measurements import KINK_MARGIN, Line, Measurement

__all__ = [
    "AGREES",
    "CANNOT_TELL",
    "DISAGREES",
    "DISCONNECTED",
    "KINK_NEARBY",
    "NOT_REPEATABLE",
    "Decision",
    "judge_directions",
    "judge_entries",
]

AGREES = "agrees"
DISAGREES = "disagrees"
DISCONNECTED = "disconnected"
NOT_REPEATABLE = "not repeatable"
KINK_NEARBY = "kink nearby"
CANNOT_TELL = "cannot tell"

# If no error bar is below this part of the derivative, a closer look is taken. If it finds no bar
# below the second part, what was found cannot be called agreement.
_SHARP = 0.005
_TOO_WIDE = 0.05
# A derivative this much smaller than the largest, and within its bar, is zero beside the others.
_NEGLIGIBLE = 1e-3
# A disagreement needs so many error bars in the median of the closer directions: some directions
# may lie about a kinked function, most do not. Between these two, more directions are drawn.
_DECISIVE = 1.25
_UNSETTLED = (0.8, 1.8)
_CLOSER_DIRECTIONS = 7
_CLOSER_ROUNDS = 2
_CLOSER_STEPS = 5


@dataclass(frozen=True)
class Decision:
    """A verdict, and the measurements it rests on, the most telling one first."""

    verdict: str
    measurements: tuple[Measurement, ...]


def judge_directions(
    line: Line, directions: int, largest: float, rng: np.random.Generator
) -> Decision:
    """Judge a gradient along random directions.

    Parameters
    ----------
    line : Line
        The lines through the point that move one leaf.
    directions : int
        How many directions the first look takes. The first follows the gradient, where a wrong
        factor shows best; the others go through all entries, where a wrong entry shows.
    largest : float
        The largest norm among the gradients that are checked together.
    rng : numpy.random.Generator
    """
    guided = line.guided and directions > 1
    draws = [line.along if guided and i == 0 else line.across for i in range(directions)]
    first = []
    for draw in draws:
        direction = draw(rng)
        first.append(line.measure(direction, line.first_step(direction)))
    if not any(_doubtful(line, m) for m in first) and not _is_wide(line, first, largest, _SHARP):
        return Decision(AGREES, _most_telling_first(first))
    looks = _Looks(line, rng)
    for _ in range(_CLOSER_ROUNDS):
        looks.add()
        middle = looks.middle_excess()
        if not _UNSETTLED[0] < middle < _UNSETTLED[1]:
            break
    seen = looks.measurements()
    if not seen:
        return Decision(CANNOT_TELL, tuple(first))
    if middle > _DECISIVE:
        return Decision(DISAGREES, _most_telling_first(seen))
    seen = [m if m.agrees else _look_again(line, m, rng) for m in seen]
    return _undisputed(line, seen, largest, in_doubt=middle > 1)


def judge_entries(
    line: Line, entries: Sequence[tuple[int, ...]], largest: float, rng: np.random.Generator
) -> Decision:
    """Judge a gradient entry by entry; a doubtful entry is measured again with other steps."""
    seen, worst = [], 0.0
    for entry in entries:
        direction = line.entry(entry)
        m = line.measure(direction, line.first_step(direction), entry)
        if _doubtful(line, m):
            looks = [_look_closer(line, direction, rng, entry) for _ in range(_CLOSER_DIRECTIONS)]
            worst = max(worst, _middle_excess(looks))
            usable = sorted((m for m in looks if m is not None), key=lambda m: m.excess)
            m = usable[len(usable) // 2] if usable else m
        seen.append(m)
    if worst > _DECISIVE:
        return Decision(DISAGREES, _most_telling_first(seen))
    # One entry at a kink must not pass in the shade of the others.
    size = max(line.norm, *(abs(m.numeric) for m in seen)) if seen else 0.0
    kinked = [m for m in seen if m.kink > 0 and m.error_bar > _TOO_WIDE * size]
    if kinked:
        return Decision(KINK_NEARBY, _most_telling_first(kinked))
    return _undisputed(line, seen, largest, in_doubt=worst > 1)


class _Looks:
    """The closer looks along fresh directions: some that follow the gradient, some across it.

    Where several kinks lie at the point itself, as in a relu network whose biases are zero, the
    jumps of the slope are of either sign and may cancel along one line, though the error they cause
    does not. Along another line they show. So every bar covers what is typical of its family.
    """

    def __init__(self, line: Line, rng: np.random.Generator) -> None:
        self._line, self._rng = line, rng
        across = functools.partial(line.across, even=False)
        self._draws = [line.along, across] if line.guided else [across]
        self._families: list[list[Measurement | None]] = [[] for _ in self._draws]

    def add(self) -> None:
        """Look along as many directions again."""
        for draw, looks in zip(self._draws, self._families, strict=True):
            looks += [
                _look_closer(self._line, draw(self._rng), self._rng)
                for _ in range(_CLOSER_DIRECTIONS)
            ]

    def measurements(self) -> list[Measurement]:
        """Return what could be measured."""
        return [m for looks in self._covered() for m in looks if m is not None]

    def middle_excess(self) -> float:
        """Return the median of the excess, of those directions where it is larger."""
        return max(_middle_excess(looks) for looks in self._covered())

    def _covered(self) -> list[list[Measurement | None]]:
        return [_cover_typical_kink(looks) for looks in self._families]


def _cover_typical_kink(looks: Sequence[Measurement | None]) -> list[Measurement | None]:
    kinks = [m.kink for m in looks if m is not None]
    least = KINK_MARGIN * float(np.sqrt(np.mean(np.square(kinks)))) if kinks else 0.0
    return [m and replace(m, error_bar=max(m.error_bar, least)) for m in looks]


def _doubtful(line: Line, m: Measurement) -> bool:
    # Where a gradient of zero is claimed, a wide bar or a kink must not hide that f moves.
    return not (abs(m.difference) <= (m.error_bar if line.norm else m.rounding)) or (
        not line.norm and m.kink > 0
    )


def _middle_excess(looks: Sequence[Measurement | None]) -> float:
    return float(np.median([m.excess if m is not None else 0.0 for m in looks]))


def _is_wide(line: Line, measurements: Sequence[Measurement], largest: float, limit: float) -> bool:
    """Whether even the best error bar is too wide beside the gradient to speak of agreement."""
    if not line.norm:
        return not any(np.isfinite(m.error_bar) for m in measurements)
    width = min(m.error_bar / abs(m.analytic) if m.analytic else np.inf for m in measurements)
    return width > limit and not 1 <= width <= _NEGLIGIBLE * largest / line.norm


def _look_closer(
    line: Line,
    direction: np.ndarray,
    rng: np.random.Generator,
    entry: tuple[int, ...] | None = None,
) -> Measurement | None:
    """Measure with other steps until the bar is sharp; None if the steps contradict each other."""
    first, looks = line.first_step(direction), []
    step = line.possible_step(first * rng.uniform(0.4, 1.0), direction)
    while len(looks) < _CLOSER_STEPS and step not in [m.step for m in looks]:
        m = line.measure(direction, step, entry)
        looks.append(m)
        if m.error_bar <= _SHARP * abs(m.numeric) or not (line.norm or _doubtful(line, m)):
            break
        # Rounding shrinks with a longer step, everything else with a shorter one.
        factor = 4.0 if m.rounding > m.error_bar / 2 else 0.25
        step = line.possible_step(factor * step, direction)
    best, *others = sorted(looks, key=lambda m: m.error_bar)
    if not np.isfinite(best.error_bar):
        return None
    if others:
        apart = abs(best.difference - others[0].difference)
        if apart > 1.5 * (best.error_bar + others[0].error_bar):
            return None
    # Kinks that the next longer step met may hide from this one, and those that it is too noisy to
    # see are still there.
    longer = [m.kink for m in others if best.step < m.step <= 4.1 * best.step]
    hidden = best.rounding + max(longer, default=0.0) / 2
    unseen = [m.kink for m in others if best.step < m.step and m.kink <= 2 * best.rounding]
    return replace(
        best, error_bar=max(best.error_bar, hidden), kink=max([best.kink, *unseen], default=0.0)
    )


def _look_again(line: Line, m: Measurement, rng: np.random.Generator) -> Measurement:
    """Measure once more, with other steps: what differs is added to the bar."""
    again = None if m.direction is None else _look_closer(line, m.direction, rng)
    if again is None:
        return m
    apart = abs(m.difference - again.difference)
    return replace(m, error_bar=m.error_bar + apart, kink=max(m.kink, again.kink))


def _undisputed(
    line: Line, seen: Sequence[Measurement], largest: float, in_doubt: bool
) -> Decision:
    """Name what remains where nothing disagrees: agreement, or the reason why it is not known."""
    ordered = _most_telling_first(seen)
    hidden = not line.norm and 2 * sum(_doubtful(line, m) for m in seen) >= len(seen)
    outside = not all(m.agrees for m in seen)
    if not (in_doubt or hidden or outside or _is_wide(line, seen, largest, _TOO_WIDE)):
        return Decision(AGREES, ordered)
    kinks = sum(m.kink > 0 for m in seen)
    enough = 1 if outside else len(seen) / 2
    return Decision(KINK_NEARBY if kinks >= enough else CANNOT_TELL, ordered)


def _most_telling_first(measurements: Sequence[Measurement]) -> tuple[Measurement, ...]:
    return tuple(sorted(measurements, key=lambda m: np.nan_to_num(m.excess), reverse=True))
