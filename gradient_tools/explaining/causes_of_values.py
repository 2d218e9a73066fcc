"""Why a gradient is zero everywhere, or NaN or infinite: the backward pass, run again and read."""

import numpy as np
import tensorflow as tf

from ..recording.places import Place
from ..recording.recorder import Step
from ..recording.tensors import is_differentiable, key_of
from .case import Case, Finding, Source
from .flow import Key
from .replay import Backward, CannotReplay, all_finite, all_zero, backward_pass, forward_pass

__all__ = ["why_not_finite", "why_zero"]

# Operations that are flat, or flat in floating point, on part of their range.
_FLAT = {
    "Relu": "every input was zero or negative",
    "Relu6": "every input was at most 0 or at least 6",
    "Sign": "sign is flat on both sides of zero",
    "ClipByValue": "every input was beyond the limits",
    "Softmax": "one entry takes the whole probability in this precision",
    "Exp": "every output was too small for this precision",
    **dict.fromkeys(("Minimum", "Maximum"), "every input was beyond the limit"),
    **dict.fromkeys(
        ("Sigmoid", "Tanh", "Erf"),
        "every input was so large that the curve is flat in this precision",
    ),
    **dict.fromkeys(
        ("Elu", "Selu", "Softplus"),
        "every input was so negative that the curve is flat in this precision",
    ),
}
_CHOICES = {"Select", "SelectV2"}


def why_zero(case: Case, source: Source) -> Finding:
    """Return the operation at which the gradient of ``source`` became zero."""
    try:
        forward, backward, mine = _replay(case, source)
    except CannotReplay as reason:
        links = [link for link in case.flow.links if link.op == "EagerPyFunc"]
        if links:
            return _inside_py_function(case, links[0].place)
        return Finding("undetermined", case.place, {"error": str(reason)})
    if not any(id(target) in mine for target in case.values_of(case.targets)):
        branch = [link for link in case.flow.links if link.op == "If"]
        place = branch[0].place if branch else case.place
        return Finding("zero-branch", place, {"operation": "If"})
    step = next((each.forward for each in backward if _stops(each, mine)), None)
    if step is None:
        return _no_slope(case.place, "its contributions cancel")
    if step.op == "EagerPyFunc":
        return _inside_py_function(case, step.place)
    if step.op in _CHOICES:
        return Finding("zero-branch", step.place, {"operation": "tf.where"})
    flat = _flat(step, forward)
    if flat is not None:
        facts = {"operation": flat.op, "why": _FLAT[flat.op], "values": _values(flat, mine)}
        return Finding("zero-saturated", flat.place, facts)
    return _no_slope(step.place, f"{step.op} passes on a zero for these values", step.op)


def _inside_py_function(case: Case, place: Place | None) -> Finding:
    """Return where the function of a ``tf.py_function`` leaves TensorFlow, if its text shows it."""
    left = place and case.text.leaving_call_inside(place)
    if left:
        return Finding("left-tensorflow py_function", left[1], {"call": left[0]})
    return Finding("undetermined py_function", place, {"operation": "EagerPyFunc"})


def _no_slope(place: Place | None, why: str, operation: str = "") -> Finding:
    return Finding("zero-derivative", place, {"why": why, "operation": operation})


def _stops(step: Backward, mine: set[Key]) -> bool:
    """Tell whether a gradient arrives at an operation and none leaves it towards the source."""
    arrives = any(key in mine and not all_zero(each) for key, each in step.arriving.items())
    return arrives and all(all_zero(each) for key, each in step.leaving.items() if key in mine)


def _flat(step: Step, forward: list[Step]) -> Step | None:
    """Return the flat operation: this one, or one whose zero output this one multiplies by."""
    if step.op in _FLAT:
        return step
    makers = {id(output): each for each in forward for output in each.outputs}
    for tensor in step.inputs:
        while id(tensor) in makers and all_zero(tensor):
            maker = makers[id(tensor)]
            if maker.op in _FLAT:
                return maker
            if not maker.inputs:
                break
            tensor = maker.inputs[0]
    return None


def why_not_finite(case: Case, source: Source) -> Finding:
    """Return the first operation of the backward pass whose gradient is NaN or infinite."""
    why = "no single operation"
    try:
        forward, backward, mine = _replay(case, source)
    except CannotReplay as reason:
        backward, why = [], str(reason)
    for step in backward:
        if all(map(all_finite, step.arriving.values())):
            for key, gradient in step.leaving.items():
                if key in mine and not all_finite(gradient):
                    return _culprit(step, gradient.numpy(), forward)
    return Finding("not-finite unknown", case.place, {"why": why})


def _culprit(step: Backward, gradient: np.ndarray, forward: list[Step]) -> Finding:
    facts = {
        "operation": step.forward.op,
        "values": _offending(step.forward, gradient),
        "gradient": "NaN" if np.isnan(gradient).any() else "infinite",
        "earlier": _first_not_finite(forward),
        "unchosen": _unchosen_branch(step, ~np.isfinite(gradient), forward),
    }
    return Finding("not-finite", step.forward.place, facts)


def _replay(case: Case, source: Source) -> tuple[list[Step], list[Backward], set[Key]]:
    """Return both passes, and the ids of the values that were computed from the source."""
    forward = forward_pass(case.recorder)
    given = case.output_gradients and case.values_of(case.output_gradients)
    backward = backward_pass(forward, case.values_of(case.targets), given)
    mine: set[Key] = {key_of(each) for each in case.values_of([source.value])}
    reads = case.recorder.unreported_reads.items()
    mine |= {key for key, handle in reads if id(handle) == source.key}
    for step in forward:
        if any(id(tensor) in mine for tensor in step.inputs):
            mine |= {id(output) for output in step.outputs}
    return forward, backward, mine


def _first_not_finite(forward: list[Step]) -> Place | None:
    for step in forward:
        if any(not all_finite(output) for output in step.outputs):
            if all(all_finite(tensor) for tensor in step.inputs if tensor.dtype != tf.resource):
                return step.place
    return None


def _offending(step: Step, gradient: np.ndarray) -> str:
    """Return the operation's inputs at the first element where the gradient is not finite."""
    where = tuple(np.argwhere(~np.isfinite(gradient))[0])
    shown = []
    for values in (np.asarray(each) for each in step.inputs if is_differentiable(each)):
        if values.shape == gradient.shape:
            shown.append(f"{values[where]:.6g}")
        elif values.size == 1:
            shown.append(f"{values.item():.6g}")
    return ", ".join(shown)


def _unchosen_branch(step: Backward, bad: np.ndarray, forward: list[Step]) -> str:
    """Return "then" or "else" for an operation in that branch of ``tf.where``, not chosen; or "".

    ``where`` sends such a branch the gradient 0, and 0 times an infinite slope is NaN.
    """
    for arriving in step.arriving.values():
        values = arriving.numpy()
        if np.any(values[bad] if values.shape == bad.shape else values):
            return ""
    reached = {id(output) for output in step.forward.outputs}
    for later in forward[forward.index(step.forward) + 1 :]:
        met = [id(tensor) in reached for tensor in later.inputs]
        if any(met):
            if later.op in _CHOICES and met[1] != met[2]:  # condition, then, else
                return "then" if met[1] else "else"
            reached |= {id(output) for output in later.outputs}
    return ""


def _values(step: Step, mine: set[Key]) -> str:
    """Return the value, or the range, of an operation's input that comes from the source."""
    own = [tensor for tensor in step.inputs if id(tensor) in mine]
    values = np.asarray((own or step.inputs)[0])
    values = (np.abs(values) if np.iscomplexobj(values) else values).astype(float)
    if not values.size:
        return "none"
    if values.size == 1:
        return f"{values.item():.6g}"
    return f"from {values.min():.6g} to {values.max():.6g}"
