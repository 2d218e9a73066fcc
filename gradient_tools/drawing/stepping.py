"""A tape's drawing step by step: forward, then back, one operation a step, in words and numbers."""

from html import escape
from typing import NamedTuple

import numpy as np

from ..explaining.messages import loss_at
from ..recording.labels import value_text
from ..recording.records import TapeRecording
from .folding import Card, Folded, fits, short
from .grouping import Use

__all__ = ["Step", "Timetable", "steps_of"]

_MOST_LINES = 3  # of the program, at one step
_HEADS = ("to", "arrived", "× local slope", "= passed on", "there so far")


class Step(NamedTuple):
    """What is said at one step, as HTML, and the card that it is about."""

    card: int | None
    html: str


class Timetable(NamedTuple):
    """At which step each card is computed, has its whole gradient, and has passed it on."""

    computed: list[int]
    arrived: list[int]
    passed: list[int]


def steps_of(folded: Folded) -> tuple[list[Step], Timetable]:
    """Return the steps, the first before anything is computed, and when what happens."""
    cards = folded.cards
    forward = [i for i, card in enumerate(cards) if card.kind != "source"]
    backward = [i for i in reversed(forward) if cards[i].arriving]
    turn = len(forward) + 1
    computed = [forward.index(i) + 1 if i in forward else 0 for i in range(len(cards))]
    arrived, passed = [turn] * len(cards), [turn] * len(cards)
    for i in reversed(range(len(cards))):
        arrived[i] = max([turn, *(passed[use.reader] for use in folded.uses if use.maker == i)])
        passed[i] = turn + 1 + backward.index(i) if i in backward else arrived[i]

    given = ", ".join(f"{card.title} = {card.value}" for card in cards if card.kind == "source")
    steps = [Step(None, _said("Before the first operation.", f"Given: {given}."))]
    for number, i in enumerate(forward, 1):
        used = (f"{name} = {_number(use.value.value)}" for name, use in _uses(folded, i))
        read = ", ".join(dict.fromkeys(used))
        said = f"{cards[i].title} reads {read} and gives {cards[i].value}."
        steps.append(Step(i, _said(f"Forward, {number} of {len(forward)}.", said, cards[i])))
    targets = [i for i, card in enumerate(cards) if card.is_target]
    names = " and ".join(cards[i].name for i in targets)
    said = (
        f"The backward pass begins at {names}. The slope of the target with respect to itself is 1."
    )
    steps.append(Step(targets[0] if targets else None, _said("The turn.", said)))
    so_far: dict[int, np.ndarray] = {}
    for number, i in enumerate(backward, 1):
        gradient = ", ".join(map(_number, cards[i].arriving))
        said = f"The gradient that reaches {cards[i].title} is {gradient}."
        head = _said(f"Back, {number} of {len(backward)}.", said, cards[i])
        steps.append(Step(i, head + _table(folded, i, gradient, so_far)))
    return steps, Timetable(computed, arrived, passed)


def _said(head: str, text: str, card: Card | None = None) -> str:
    lines = [line for line in card.lines if line] if card is not None else []
    code = "".join(f"<code>{escape(line)}</code> " for line in lines[:_MOST_LINES])
    return f"<p><strong>{head}</strong> {escape(text)} {code}</p>"


def _uses(folded: Folded, reader: int) -> list[tuple[str, Use]]:
    """List what a card reads, each value once for each operation in it, as its card calls it."""
    named = []
    for use in sorted(folded.uses, key=lambda use: use.maker):
        card = folded.cards[use.maker]
        is_named = card.is_target or card.kind != "operation"
        if use.reader == reader:
            named.append((use.value.name if is_named else card.title, use))
    return named


def _table(folded: Folded, i: int, arrived: str, so_far: dict[int, np.ndarray]) -> str:
    """Write a row for each value that a card read; ``so_far`` is what has come to each by now."""
    card, rows = folded.cards[i], []
    for name, use in _uses(folded, i):
        if use.passes:
            if use.passed_on is not None:
                so_far[use.position] = so_far.get(use.position, 0.0) + use.passed_on
            there = _number(so_far.get(use.position))
            numbers = (arrived, _slope(card, use), _number(use.passed_on), there)
            cells = "".join(f"<td>{escape(number)}</td>" for number in numbers)
        else:
            cells = f"<td colspan='4'>✗ {escape(_why_lost(use, folded.recording))}</td>"
        rows.append(f"<tr><th scope='row'>{escape(name)}</th>{cells}</tr>")
    if not rows:
        return ""
    heads = "".join(f"<th scope=col>{head}</th>" for head in _HEADS)
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _slope(card: Card, use: Use) -> str:
    """Say what the arriving gradient is multiplied by on its way to a value."""
    if card.kind != "operation":
        return "the slopes of all operations inside"
    if use.slopes is not None:
        return _number(use.slopes)
    return f"Jacobian, {card.leaving[0].shape} by {use.value.shape}"


def _number(value: np.ndarray | None) -> str:
    """Write a number or a few; of many, the shape and the norm."""
    if value is None or fits(value) or value.dtype.kind not in "fc":
        return short(value)
    return f"{short(value)}, norm {value_text(np.linalg.norm(value))}"


def _why_lost(use: Use, recording: TapeRecording) -> str:
    """Say why no gradient goes on to a value, in the words of the explanations."""
    operation, place, value = use.operation, use.place, use.value
    makers = {output: each for each in recording.operations for output in each.outputs}
    while operation.passed_on[place] is not None:
        maker = makers.get(operation.inputs[place])
        if maker is None:
            return (
                f"{value.name} is not watched: a tape automatically watches only trainable "
                "variables."
            )
        # Further back, to the first input that a rule leads to, or that none does.
        ways = [i for i, passed in enumerate(maker.passed_on) if passed is not None] or [0]
        operation, place = maker, ways[0]
        value = recording.values[operation.inputs[place]]
    return loss_at(operation.op_type, value.dtype)
