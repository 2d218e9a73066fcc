"""What the diagnosis found: a cause, the line, and the facts that its message needs."""

from dataclasses import dataclass

from ..recording.places import Place
from .messages import Cause

__all__ = [
    "AnotherModel",
    "Cast",
    "Converted",
    "Copy",
    "EarlierUse",
    "Facts",
    "Finding",
    "Flat",
    "Kept",
    "NoSlope",
    "NotExamined",
    "NotFinite",
    "Rebinding",
    "SecondOfLabels",
    "Unused",
]


@dataclass(frozen=True)
class Facts:
    """What a message says beside the cause and the line: here, the name of an operation."""

    operation: str = ""


@dataclass(frozen=True)
class Cast(Facts):
    """A dtype that has no gradient, of a source or of the result of a cast."""

    dtype: str = ""


@dataclass(frozen=True)
class Converted(Facts):
    """The code that turned a tensor into plain numbers; empty if no line shows it."""

    code: str = ""


@dataclass(frozen=True)
class EarlierUse(Facts):
    """The line that used a source before it was watched."""

    used: Place | None = None


@dataclass(frozen=True)
class Rebinding(Facts):
    """The statement that made a tensor of a name that was a variable."""

    statement: str = ""


@dataclass(frozen=True)
class Copy(Facts):
    """The name of a copy of the source."""

    name: str = ""


@dataclass(frozen=True)
class Kept(Facts):
    """The attribute in which an object keeps a tensor, and the line that made it."""

    name: str = ""
    made: Place | None = None


@dataclass(frozen=True)
class AnotherModel(Facts):
    """The model, or the dict, that was used, and the one to which the source belongs."""

    used: str = ""
    owner: str = ""
    is_model: bool = True


@dataclass(frozen=True)
class Unused(Facts):
    """The causes that were looked for and ruled out."""

    ruled_out: str = ""


@dataclass(frozen=True)
class Flat(Facts):
    """Where the input of an operation is if the operation is flat there."""

    why: str = ""
    values: str = ""  # the input, or its range
    epsilon: str = ""  # the limit of Keras's probabilities


@dataclass(frozen=True)
class NoSlope(Facts):
    """Why a derivative is zero at this point; ``of_derivative`` for a second derivative."""

    why: str = ""
    of_derivative: bool = False


@dataclass(frozen=True)
class SecondOfLabels(Facts):
    """The arguments of a fused cross-entropy, as the user wrote them."""

    labels: str = "y"
    logits: str = "z"


@dataclass(frozen=True)
class NotFinite(Facts):
    """The first gradient of the backward pass that is NaN or infinite."""

    values: str = ""  # the inputs of the operation
    gradient: str = ""  # "NaN" or "infinite"
    earlier: Place | None = None  # the first such value of the forward pass
    unchosen: str = ""  # "then" or "else", the branch of tf.where that was not chosen


@dataclass(frozen=True)
class NotExamined(Facts):
    """Why the diagnosis ended without a cause."""

    why: str = ""


@dataclass(frozen=True)
class Finding:
    """The cause of a missing, zero or non-finite gradient, before it is put into words."""

    cause: Cause
    place: Place | None = None
    facts: Facts = Facts()
    is_sure: bool = True  # False if only the program's text shows it
