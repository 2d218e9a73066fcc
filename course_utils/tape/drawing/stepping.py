"""A tape's drawing step by step: forward, then back, one operation a step, in words and numbers."""

from dataclasses import dataclass
from html import escape

import numpy as np

from ..explaining.messages import loss_at
from ..recording import TapeRecording
from ..recording.labels import value_text
from .folding import Card, Folded
from .grouping import Use

__all__ = ["Step", "Timetable", "steps_of"]

_LONGEST = 24  # characters of a number, a list of them, or else shape and norm
_MOST_LINES = 3  # of the program, at one step


@dataclass(frozen=True)
class Step:
    """What is said at one step, as HTML, and the card that it is about."""

    card: int | None
    html: str


@dataclass(frozen=True)
class Timetable:
    """At which step each card is computed, has its whole gradient, and has passed it on."""

    computed: list[int]
    arrived: list[int]
    passed: list[int]


def steps_of(folded: Folded) -> tuple[list[Step], Timetable]:
    """Return the steps, the first before anything is computed, and when what happens."""
    cards = folded.cards
    forward = [i for i, card in enumerate(cards) if card.kind != "source"]
    backward = [i for i in reversed(forward) if _arriving(cards[i])]
    turn = len(forward) + 1
    computed = [forward.index(i) + 1 if i in forward else 0 for i in range(len(cards))]
    arrived, passed = [turn] * len(cards), [turn] * len(cards)
    for i in reversed(range(len(cards))):
        arrived[i] = max([turn, *(passed[b] for a, b in folded.uses if a == i)])
        passed[i] = turn + 1 + backward.index(i) if i in backward else arrived[i]
    steps = [Step(None, _start(cards))]
    for number, i in enumerate(forward, 1):
        head = f"Forward, {number} of {len(forward)}."
        steps.append(Step(i, _forwards(head, cards[i], _uses(folded, i))))
    target = next((i for i, card in enumerate(cards) if card.is_target), None)
    steps.append(Step(target, _turn(cards)))
    so_far: dict[int, np.ndarray] = {}
    for number, i in enumerate(backward, 1):
        head = f"Back, {number} of {len(backward)}."
        steps.append(Step(i, _backwards(head, folded, i, so_far)))
    return steps, Timetable(computed, arrived, passed)


def _uses(folded: Folded, reader: int) -> list[tuple[str, Use]]:
    """List what a card reads, each value once for each operation in it, with a name."""
    return [
        (_name(folded.cards[a], use), use)
        for (a, b), uses in sorted(folded.uses.items())
        if b == reader
        for use in uses
    ]


def _name(card: Card, use: Use) -> str:
    """Return what a value is called on its card: its own name, or that of its operation."""
    is_named = card.is_target or card.kind != "operation"
    return use.value.name if is_named else card.title


def _arriving(card: Card) -> list[np.ndarray]:
    return [value.gradient for value in card.leaving if value.gradient is not None]


def _start(cards: tuple[Card, ...]) -> str:
    sources = [f"{card.title} = {card.value}" for card in cards if card.kind == "source"]
    return _said("Before the first operation.", f"Given: {', '.join(sources)}.")


def _forwards(head: str, card: Card, uses: list[tuple[str, Use]]) -> str:
    read = dict.fromkeys(f"{name} = {_number(use.value.value)}" for name, use in uses)
    return _said(head, f"{card.title} reads {', '.join(read)} and gives {card.value}.", card)


def _turn(cards: tuple[Card, ...]) -> str:
    targets = " and ".join(card.title.partition(" = ")[0] for card in cards if card.is_target)
    said = f"The way back begins at {targets}, with the slope 1 of the target by itself."
    return _said("The turn.", said)


def _backwards(head: str, folded: Folded, i: int, so_far: dict[int, np.ndarray]) -> str:
    card = folded.cards[i]
    arrived = ", ".join(map(_number, _arriving(card)))
    rows = []
    for name, use in _uses(folded, i):
        name = escape(name)
        if not use.passes:
            why = escape(_why_lost(use, folded.recording))
            rows.append(f"<tr><th scope='row'>{name}</th><td colspan='4'>✗ {why}</td></tr>")
            continue
        key = id(use.value)
        if use.passed_on is not None:
            so_far[key] = so_far.get(key, 0.0) + use.passed_on
        cells = (arrived, _slope(card, use), _number(use.passed_on), _number(so_far.get(key)))
        shown = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
        rows.append(f"<tr><th scope='row'>{name}</th>{shown}</tr>")
    heads = ("to", "arrived", "× local slope", "= passed on", "there so far")
    table = (
        f"<table><thead><tr>{''.join(f'<th scope=col>{each}</th>' for each in heads)}</tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table>"
    )
    said = f"At {card.title} the gradient {arrived} has arrived."
    return _said(head, said, card) + (table if rows else "")


def _said(head: str, text: str, card: Card | None = None) -> str:
    lines = [line for line in card.lines if line] if card is not None else []
    code = "".join(f"<code>{escape(line)}</code> " for line in lines[:_MOST_LINES])
    return f"<p><strong>{head}</strong> {escape(text)} {code}</p>"


def _slope(card: Card, use: Use) -> str:
    """Say what the arriving gradient is multiplied by on its way to a value."""
    if card.kind != "operation":
        return "the slopes of all operations inside"
    if use.slopes is not None:
        return _number(use.slopes)
    return f"Jacobian, {card.leaving[0].shape} by {use.value.shape}"


def _number(value: np.ndarray | None) -> str:
    """Write a number or a few; of many, the shape and the norm."""
    text = value_text(value)
    if value is None or (len(text) <= _LONGEST and np.size(value) <= 4):
        return text
    if value.dtype.kind not in "fc":
        return value_text(value, most=0)
    return f"{value_text(value, most=0)}, norm {value_text(np.linalg.norm(value))}"


def _why_lost(use: Use, recording: TapeRecording) -> str:
    """Say why no gradient goes on to a value, in the words of the explanations."""
    operation, place, value = use.operation, use.place, use.value
    makers = {output: each for each in recording.operations for output in each.outputs}
    while operation.passed_on[place] is not None:
        maker = makers.get(operation.inputs[place])
        if maker is None:
            return f"{value.name} is not watched, and a tape watches only trainable variables."
        # Further back, to the first input that a rule leads to, or that none does.
        ways = [i for i, passed in enumerate(maker.passed_on) if passed is not None] or [0]
        operation, place = maker, ways[0]
        value = recording.values[operation.inputs[place]]
    return loss_at(operation.op_type, value.dtype)
