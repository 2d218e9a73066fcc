"""Which operation has a derivative that is constant piece by piece, so that the next one is 0.

The gradient of a gradient is lost in an operation that TensorFlow ran to compute the first
gradient. The user never wrote that operation, so the one whose derivative it is is named.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..recording.recorder import Step
from .case import Case
from .findings import Facts, Finding
from .flow import Key, Link
from .messages import Cause

__all__ = [
    "CHOICES",
    "COMPARISONS",
    "blamed",
    "instead_of_comparison",
    "links_of",
    "piecewise_linear",
    "with_second_derivative",
]

CHOICES: set[str] = {"Select", "SelectV2"}
COMPARISONS: set[str] = {"Greater", "GreaterEqual", "Less", "LessEqual", "Equal", "NotEqual"}
# By an operation of a first derivative, those whose derivative it can be.
_IS_DERIVATIVE_OF = {
    "ReluGrad": {"Relu"},
    "Relu6Grad": {"Relu6"},
    "LeakyReluGrad": {"LeakyRelu"},
    "MaxPoolGrad": {"MaxPool"},
    "MaxPool3DGrad": {"MaxPool3D"},
    "Sign": {"Abs"},
    **dict.fromkeys(COMPARISONS, {"Maximum", "Minimum", "ClipByValue"}),
}


def links_of(steps: Iterable[Step]) -> list[Link]:
    """Return operations that ran as links, without the flow around them."""
    return _without_copies(
        Link(
            step.op,
            tuple(id(each) for each in step.inputs),
            tuple(id(each) for each in step.outputs),
            origin=step,
        )
        for step in steps
    )


def instead_of_comparison(case: Case, lost: Finding) -> Finding:
    """Return what is to blame for a comparison of a first derivative; else the finding itself."""
    operation = lost.facts.operation
    if lost.cause is not Cause.NO_GRADIENT_OP or operation not in COMPARISONS:
        return lost
    links = _without_copies(case.flow.links)
    for link in links:
        if (link.op, link.place) == (operation, lost.place):
            choices = (
                each for each in links if each.op in CHOICES and each.inputs[0] in link.outputs
            )
            for derivative in (link, *choices):
                whole = piecewise_linear(derivative, links)
                if whole is not None and case.upstream & set(derivative.outputs):
                    return blamed(Cause.NO_SECOND_GRADIENT, whole)
    return lost


def blamed(cause: Cause, whole: Link) -> Finding:
    """Return a finding on an operation that chooses between pieces."""
    operation = "tf.where" if whole.op in CHOICES else whole.op
    return Finding(cause, whole.place, Facts(operation))


def with_second_derivative(zeros: Link, links: Sequence[Link]) -> Link | None:
    """Return the piecewise linear operation whose second derivative some zeros are, if any."""
    if zeros.op != "ZerosLike":
        return None
    derivatives = [each for each in links if set(zeros.inputs) & set(each.inputs)]
    found = (piecewise_linear(each, links) for each in derivatives if each.op.endswith("Grad"))
    return next((each for each in found if each is not None), None)


def piecewise_linear(derivative: Link, links: Sequence[Link]) -> Link | None:
    """Return the piecewise linear operation whose derivative an operation belongs to, if any."""
    if not derivative.in_gradient:
        return None
    if derivative.op in CHOICES:
        return _of_choice(derivative, links)
    for link in links:
        if link.op in _IS_DERIVATIVE_OF.get(derivative.op, ()) and not link.in_gradient:
            if _belongs(derivative, link):
                return link
    return None


def _belongs(derivative: Link, link: Link) -> bool:
    """Tell whether a derivative was computed at the values of this operation."""
    if derivative.op.endswith("Grad"):  # its inputs are those values and a gradient
        return bool(set(derivative.inputs) & {*link.inputs, *link.outputs})
    return set(derivative.inputs) <= set(link.inputs)


def _of_choice(derivative: Link, links: Sequence[Link]) -> Link | None:
    """Return what chose by the same condition, or what a gradient rule made the condition for."""
    waiting = [derivative.inputs[0]]
    while waiting:
        condition = waiting.pop()
        for link in links:
            if link.op in CHOICES and not link.in_gradient and link.inputs[0] == condition:
                return link
            if condition in link.outputs and link.in_gradient:
                if link.op in COMPARISONS:
                    return piecewise_linear(link, links)
                waiting += link.inputs  # of a logical "or"
    return None


def _without_copies(links: Iterable[Link]) -> list[Link]:
    """Return links that give a value and its copies one key, that of the value."""
    found: list[Link] = []
    value_of: dict[Key, Key] = {}
    for link in links:
        inputs = tuple(value_of.get(key, key) for key in link.inputs)
        if link.op == "Identity" or link.kind == "same value":
            value_of |= {key: inputs[0] for key in link.outputs if key not in value_of}
        else:
            found.append(replace(link, inputs=inputs))
    return found
