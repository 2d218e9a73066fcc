"""The grader's side of one notebook's run: what its child asks, and what it is told.

Notes
-----
Nothing that a child says is believed. The seed of an observation is drawn here, sent when the child
has run the learner's code and asks for it, and used once. What comes back is judged here, against
inputs drawn here from that seed. So a forged observation passes only if it holds the right results
for inputs that its author learned a moment before, which is what the exercise asks for.
"""

import socket
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from ..sandbox.channel import LARGEST_MESSAGE, BadMessage, Channel, Closed, TooLate
from ..sandbox.limits import Limits
from ..sandbox.supervisor import JUDGES, LISTENS

__all__ = ["Questions", "Run", "converse", "end_of"]

_PATIENCE = 6.0  # how many times as long as its own time a notebook may take on the clock
_MOST_QUESTIONS = 1_000
_MOST_RECEIVED = 4 * LARGEST_MESSAGE  # bytes of one notebook, which a cluster's worker keeps


class Questions(Protocol):
    """What decides on seeds and takes observations.

    See `course_staff.classroom.judging.notebook_verdicts`.
    """

    def seed(self, exercise_id: str) -> int:
        """Return a fresh seed for one observation of this exercise."""

    def take(self, exercise_id: str, seed: int, observation: Any) -> None:
        """Judge an observation made with this seed; None for one that ran too long."""


@dataclass
class Run:
    """How one run ended.

    ``ended`` is ``done``, ``unreadable``, ``time``, ``memory``, ``processes``, ``nonsense``, an
    exit status or ``signal N``. ``pending`` is the exercise whose answer was being observed then,
    and ``cell`` the code cell, counted from 1; 0 is the end of the notebook.
    """

    ended: str = ""
    message: str = ""
    pending: str | None = None
    cell: int = 0
    cell_errors: dict[str, dict] = field(default_factory=dict)


def converse(
    channel: Channel,
    limits: Limits,
    questions: Questions,
    run: Run,
    tell_supervisor: Callable[[bytes], None],
) -> None:
    """Answer what the child asks, and have its observations judged, until it is done.

    The supervisor is told when this side listens and when it judges, because it counts how long the
    child is silent, and that while this side judges the child may have to wait.

    Raises
    ------
    Closed, TooLate, BadMessage
        If the child ends, falls silent, or sends what no notebook sends.
    """
    asked = 0
    end = time.monotonic() + _PATIENCE * (limits.total_seconds + limits.grace)
    seed, has_begun = -1, False
    while True:
        tell_supervisor(LISTENS)
        message = channel.receive(max(0.0, end - time.monotonic()))
        tell_supervisor(JUDGES)
        if channel.received > _MOST_RECEIVED:
            raise BadMessage("too much")
        if "cell" in message:
            run.cell, has_begun = int(message["cell"]), True
        elif "ask" in message and asked < _MOST_QUESTIONS:
            if run.pending is not None:  # asked for, and never answered
                questions.take(run.pending, seed, {})
            run.pending, asked = str(message["ask"]), asked + 1
            seed = questions.seed(run.pending)
            channel.send({"seed": seed})
        elif run.pending is not None and message.get("observed") == run.pending:
            exercise_id, run.pending = run.pending, None
            questions.take(exercise_id, seed, message["observation"])
        elif "unreadable" in message and not has_begun:  # later, the learner's code may say so
            run.ended, run.message = "unreadable", str(message["unreadable"])
            return
        elif "done" in message:
            if run.pending is not None:
                questions.take(run.pending, seed, {})
                run.pending = None
            run.ended, run.cell_errors = "done", dict(message["done"])
            return
        else:
            raise BadMessage("out of order")


def end_of(control: socket.socket) -> str:
    """Have the supervisor kill whatever still runs, and return what it says about the end."""
    with control:
        try:
            control.shutdown(socket.SHUT_WR)
            return str(Channel(control).receive(30.0)["ended"])
        except (OSError, Closed, TooLate, BadMessage, KeyError):
            return "its supervisor"
