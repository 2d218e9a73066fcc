"""Why a gradient is zero everywhere, or NaN or infinite: the backward pass, run again and read."""

import ast
from dataclasses import dataclass
from functools import cached_property

import keras
import numpy as np
import tensorflow as tf

from ..recording.places import Place
from ..recording.recorder import Step
from ..recording.tensors import SHAPE_ONLY, is_differentiable
from .case import Case, Source
from .findings import (
    Converted,
    Facts,
    Finding,
    Flat,
    NoSlope,
    NotExamined,
    NotFinite,
    SecondOfLabels,
)
from .flow import Key, Link
from .messages import Cause
from .replay import Backward, CannotReplay, all_finite, all_zero, backward_pass, forward_pass
from .second_derivatives import (
    CHOICES,
    blamed,
    links_of,
    piecewise_linear,
    with_second_derivative,
)
from .syntax import calls_in, last_name, tree_of

__all__ = ["why_not_finite", "why_zero"]

# Operations that are flat, or flat in floating point, on part of their range: what is true of an
# input there.
_FLAT = {
    "Relu": "zero or negative",
    "Relu6": "at most 0 or at least 6",
    "ClipByValue": "beyond the limits",
    "Exp": "so negative that the output is zero in this precision",
    **dict.fromkeys(("Minimum", "Maximum"), "beyond the limit"),
    **dict.fromkeys(
        ("Sigmoid", "Tanh", "Erf"), "so far from 0 that the curve is flat in this precision"
    ),
    **dict.fromkeys(
        ("Elu", "Selu", "Softplus"), "so negative that the curve is flat in this precision"
    ),
}
_FUSED = "SoftmaxCrossEntropyWithLogits"
# What is named, of all operations that stop a gradient: the first that is certain to be a cause.
_MOST_CERTAIN_FIRST = (
    Cause.NO_SECOND_DERIVATIVE_OF_LABELS,
    Cause.ZERO_SECOND_DERIVATIVE,
    Cause.CLIPPED_PROBABILITIES,
    Cause.SATURATED,
    Cause.BRANCH_NOT_TAKEN,
    Cause.LEFT_IN_PY_FUNCTION,
    Cause.UNDETERMINED_IN_PY_FUNCTION,
    Cause.ZERO_DERIVATIVE,
)


@dataclass(eq=False)
class _Passes:
    """Both passes of one gradient; ``mine`` are the ids of what was computed from the source."""

    forward: list[Step]
    backward: list[Backward]
    mine: set[Key]

    @cached_property
    def links(self) -> list[Link]:
        """The operations of the forward pass as links."""
        return links_of(self.forward)

    def link(self, step: Step) -> Link:
        """Return the link of an operation."""
        return next(link for link in self.links if link.origin is step)

    @property
    def is_of_derivative(self) -> bool:
        """Whether the target was computed from a gradient."""
        return any(each.forward.in_gradient for each in self.backward)

    @property
    def stops(self) -> list[Backward]:
        """Where a gradient arrives and none leaves towards the source, from the target on."""
        return [each for each in self.backward if self._stops(each)]

    def _stops(self, step: Backward) -> bool:
        arrives = any(key in self.mine and not all_zero(g) for key, g in step.arriving.items())
        return arrives and all(all_zero(g) for key, g in step.leaving.items() if key in self.mine)


def why_zero(case: Case, source: Source) -> Finding:
    """Return the operation at which the gradient of ``source`` became zero."""
    try:
        passes = _replay(case, source)
    except CannotReplay as reason:
        links = [link for link in case.flow.links if link.op == "EagerPyFunc"]
        if links:
            return _inside_py_function(case, links[0].place)
        return Finding(Cause.UNDETERMINED, case.place, NotExamined(why=str(reason)))
    if not any(id(target) in passes.mine for target in case.targets):
        branch = [link for link in case.flow.links if link.op == "If"]
        if not branch:
            return Finding(Cause.UNDETERMINED, case.place)
        return Finding(Cause.BRANCH_NOT_TAKEN, branch[0].place, Facts("If"))
    found = [_why_it_stops(case, stop, passes) for stop in passes.stops]
    if not found:
        facts = NoSlope(why="its contributions cancel", of_derivative=passes.is_of_derivative)
        return Finding(Cause.ZERO_DERIVATIVE, case.place, facts)
    return min(found, key=lambda each: _MOST_CERTAIN_FIRST.index(each.cause))


def _why_it_stops(case: Case, stop: Backward, passes: _Passes) -> Finding:
    """Return why an operation passes no gradient on towards the source."""
    step = stop.forward
    if step.op == "EagerPyFunc":
        return _inside_py_function(case, step.place)
    if step.op == _FUSED and id(step.outputs[1]) in stop.arriving:
        return _without_labels(step)
    if step.op == "Softmax":
        return _softmax(stop, passes)
    if step.op != "Identity":
        whole = piecewise_linear(passes.link(step), passes.links)
        if whole is not None:
            return blamed(Cause.ZERO_SECOND_DERIVATIVE, whole)
    if step.op in CHOICES:
        return Finding(Cause.BRANCH_NOT_TAKEN, step.place, Facts("tf.where"))
    return _saturated(step, passes) or _times_zero(step, passes) or _zero_at(step, passes)


def _without_labels(step: Step) -> Finding:
    """Return that the fused cross-entropy leaves its labels out of its derivative."""
    facts = SecondOfLabels(step.op)
    calls = calls_in(tree_of(step.place.file)) if step.place else ()
    for call in calls:
        is_here = step.place and call.lineno <= step.place.line <= (call.end_lineno or call.lineno)
        if is_here and last_name(call.func) == "softmax_cross_entropy_with_logits":
            given = dict(zip(("labels", "logits"), map(ast.unparse, call.args), strict=False))
            given |= {str(each.arg): ast.unparse(each.value) for each in call.keywords}
            facts = SecondOfLabels(
                step.op, given.get("labels", facts.labels), given.get("logits", facts.logits)
            )
    return Finding(Cause.NO_SECOND_DERIVATIVE_OF_LABELS, step.place, facts)


def _softmax(stop: Backward, passes: _Passes) -> Finding:
    """Return why a softmax passes nothing on: saturated, or the same gradient for every output."""
    step = stop.forward
    (output,) = (each.numpy().astype(float) for each in step.outputs)
    (arriving,) = (each.numpy().astype(float) for each in stop.arriving.values())
    if np.all(output.max(axis=-1) >= 1 - np.finfo(step.outputs[0].dtype.as_numpy_dtype).eps):
        why = "one entry has all of the probability in this precision"
        return _flat(step, why, _range(np.asarray(step.inputs[0])))
    if np.all(arriving == arriving[..., :1]):
        why = "Softmax always sums to 1, and the same gradient arrives at each of its outputs"
        return _no_slope(step, why, passes)
    return _zero_at(step, passes)


def _flat(step: Step, why: str, values: str) -> Finding:
    return Finding(Cause.SATURATED, step.place, Flat(step.op, why, values))


def _saturated(step: Step, passes: _Passes) -> Finding | None:
    """Return that an operation is flat, at how many of its inputs."""
    if step.op == "Sign":
        why = "its slope is 0 on both sides of zero"
        return _flat(step, why, _range(np.asarray(step.inputs[0])))
    if step.op not in _FLAT:
        return None
    own = [tensor for tensor in step.inputs if id(tensor) in passes.mine]
    tensor = own[0] if own else max(step.inputs, key=lambda each: np.size(each.numpy()))
    slopes = step.pass_back({id(step.outputs[0]): tf.ones_like(step.outputs[0])})
    is_flat = slopes[id(tensor)].numpy() == 0
    if not is_flat.any():
        return None
    values = _range(tensor.numpy()[is_flat])
    why = _count(is_flat, _FLAT[step.op])
    if not _is_of_keras(step, passes.forward):
        return _flat(step, why, values)
    facts = Flat(step.op, why, values, epsilon=f"{keras.config.epsilon():g}")
    return Finding(Cause.CLIPPED_PROBABILITIES, step.place, facts)


def _count(is_flat: np.ndarray, what: str) -> str:
    """Say at how many inputs an operation is flat; at the others no gradient arrives.

    >>> _count(np.array([True, True]), "negative")
    'every input was negative'
    """
    flat, size = int(is_flat.sum()), is_flat.size
    if flat == size:
        return f"{'its' if size == 1 else 'every'} input was {what}"
    were, others = "was" if flat == 1 else "were", "other" if size - flat == 1 else "others"
    return f"{flat} of {size} inputs {were} {what}, and the gradient at the {others} is 0"


def _is_of_keras(step: Step, forward: list[Step]) -> bool:
    """Tell whether this clips probabilities to [epsilon, 1 - epsilon], as Keras's losses do."""
    if step.place is None or "clip" in step.place.text:
        return False
    lower, upper = keras.config.epsilon(), 1 - keras.config.epsilon()
    clipped = {id(each.outputs[0]) for each in forward if _limits(each, "Minimum", upper)}
    is_lower = _limits(step, "Maximum", lower) and any(id(each) in clipped for each in step.inputs)
    return is_lower or _limits(step, "Minimum", upper)


def _limits(step: Step, operation: str, limit: float) -> bool:
    if step.op != operation:
        return False
    scalars = [each.numpy() for each in step.inputs if each.shape.rank == 0]
    return any(each == np.asarray(limit, each.dtype) for each in scalars)


def _times_zero(step: Step, passes: _Passes) -> Finding | None:
    """Return what made the zeros by which an operation multiplies a gradient, if it is flat."""
    makers = {id(output): each for each in passes.forward for output in each.outputs}
    waiting, seen = list(step.inputs), set[Key]()
    while waiting:
        tensor = waiting.pop(0)
        maker = makers.get(id(tensor))
        if id(tensor) in seen or maker is None or not is_differentiable(tensor):
            continue
        seen.add(id(tensor))
        if all_zero(tensor):
            if (flat := _saturated(maker, passes)) is not None:
                return flat
            if maker.op == "ZerosLike":
                whole = with_second_derivative(passes.link(maker), passes.links)
                if whole is not None:
                    return blamed(Cause.ZERO_SECOND_DERIVATIVE, whole)
            waiting += maker.inputs
    return None


def _zero_at(step: Step, passes: _Passes) -> Finding:
    return _no_slope(step, f"the slope of {step.op} is 0 for these inputs", passes)


def _inside_py_function(case: Case, place: Place | None) -> Finding:
    """Return where the function of a ``tf.py_function`` leaves TensorFlow, if its text shows it."""
    left = place and case.text.leaving_call_inside(place)
    if left:
        return Finding(Cause.LEFT_IN_PY_FUNCTION, left[1], Converted(code=ast.unparse(left[0])))
    return Finding(Cause.UNDETERMINED_IN_PY_FUNCTION, place, Facts("EagerPyFunc"))


def _no_slope(step: Step, why: str, passes: _Passes) -> Finding:
    facts = NoSlope(step.op, why, passes.is_of_derivative)
    return Finding(Cause.ZERO_DERIVATIVE, step.place, facts)


def why_not_finite(case: Case, source: Source) -> Finding:
    """Return the first operation of the backward pass whose gradient is NaN or infinite."""
    try:
        passes = _replay(case, source)
    except CannotReplay as reason:
        return Finding(Cause.NOT_FINITE_UNKNOWN, case.place, NotExamined(why=str(reason)))
    for step in passes.backward:
        if all(map(all_finite, step.arriving.values())):
            for key, gradient in step.leaving.items():
                if key in passes.mine and not all_finite(gradient):
                    return _culprit(step, gradient.numpy(), passes.forward)
    facts = NotExamined(why="no single operation")
    return Finding(Cause.NOT_FINITE_UNKNOWN, case.place, facts)


def _culprit(step: Backward, gradient: np.ndarray, forward: list[Step]) -> Finding:
    facts = NotFinite(
        step.forward.op,
        values=_offending(step.forward, gradient),
        gradient="NaN" if np.isnan(gradient).any() else "infinite",
        earlier=_first_not_finite(forward),
        unchosen=_unchosen_branch(step, ~np.isfinite(gradient), forward),
    )
    return Finding(Cause.NOT_FINITE, step.forward.place, facts)


def _replay(case: Case, source: Source) -> _Passes:
    """Run both passes again."""
    forward = forward_pass(case.recorder)
    backward = backward_pass(forward, case.targets, case.output_gradients)
    mine: set[Key] = {source.key}
    reads = case.recorder.unreported_reads.items()
    mine |= {key for key, handle in reads if id(handle) == source.key}
    for step in forward:
        if step.op not in SHAPE_ONLY:
            if any(id(tensor) in mine and _carries(tensor) for tensor in step.inputs):
                mine |= {id(output) for output in step.outputs}
    return _Passes(forward, backward, mine)


def _carries(tensor: tf.Tensor) -> bool:
    """Tell whether a gradient can come back through a tensor, or through what it holds."""
    return is_differentiable(tensor) or tensor.dtype in (tf.variant, tf.resource)


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
            if later.op in CHOICES and met[1] != met[2]:  # condition, then, else
                return "then" if met[1] else "else"
            reached |= {id(output) for output in later.outputs}
    return ""


def _range(values: np.ndarray) -> str:
    """Return a value, or the range of several.

    >>> _range(np.array([2.0, -1.0]))
    'from -1 to 2'
    """
    values = (np.abs(values) if np.iscomplexobj(values) else values).astype(float)
    if not values.size:
        return "none"
    if values.min() == values.max():
        return f"{values.min():.6g}"
    return f"from {values.min():.6g} to {values.max():.6g}"
