"""From one call of ``gradient`` to its explanations."""

import inspect
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from traceback import walk_stack
from types import FrameType
from typing import Any, TypeVar

import numpy as np
import tensorflow as tf

from ..recording.places import Place, calling_point, names_in_frame
from ..recording.recorder import Recorder
from ..recording.tensorflow_internals import lines_of_message
from .case import Case, Source
from .causes_of_none import why_none, why_none_of_source
from .causes_of_values import why_not_finite, why_zero
from .explanation import Explanation, Explanations, Gradient
from .findings import Finding, NotExamined
from .messages import Cause
from .notes import hold_other_values, may_need_notes, notes_on
from .program_text import ProgramText
from .replay import CannotReplay
from .second_derivatives import instead_of_comparison
from .syntax import first_line, scopes_at, tree_of
from .wording import explanation_of

__all__ = ["explain_call", "in_short"]

Result = TypeVar("Result")

_TRACING = (
    "A tf.function is being traced, so no gradient has a value yet. To look for zeros and NaN, "
    "call tf.config.run_functions_eagerly(True) before you call the tf.function."
)


def explain_call(
    tape: tf.GradientTape,
    recorder: Recorder,
    target: Any,
    sources: Any,
    result: Any,
    output_gradients: Any,
    function: Callable[..., Any] | None = None,
) -> Explanations:
    """Explain the gradients in ``result`` that are None, zero everywhere or not finite.

    Nothing here raises, and nothing is recorded by any tape: the work is done in another thread,
    and tapes belong to a thread.
    """
    note = f"The diagnosis is limited: {recorder.limited}." if recorder.limited else ""
    made: list[Explanation] = []
    notes: list[str] = []
    try:
        flat, gradients = tf.nest.flatten(sources), tf.nest.flatten(result)
        gradients = [getattr(each, "values", each) for each in gradients]  # of IndexedSlices
        graphs = [each.graph for each in gradients if tf.is_symbolic_tensor(each)]
        if graphs and not note:
            note = _TRACING
        kinds = list(map(_kind, gradients))
        there = [each for each, g in zip(flat, gradients, strict=True) if g is not None]
        graph = graphs[0] if graphs else None
        looks = not recorder.limited and may_need_notes(recorder, there, graph)
        if there and not recorder.heard_all:
            looks |= _do_in_another_thread(lambda: hold_other_values(recorder, there))
        frame, place = calling_point(sys._getframe(1)) if looks or any(kinds) else (None, None)

        def explain() -> None:
            text = _text(frame, place, function)
            targets = [each for each in tf.nest.flatten(target) if hasattr(each, "dtype")]
            given = None if output_gradients is None else tf.nest.flatten(output_gradients)
            watched = tuple(tape.watched_variables())
            name = text.name_of(tape) or "tape"
            is_function = function is not None
            case = Case(recorder, text, place, targets, flat, given, watched, name, is_function)
            named = list(map(Source, flat, case.name_sources()))
            for source, kind in zip(named, kinds, strict=True):
                if kind:
                    made.append(_explain(case, source, kind))
            if looks:
                pairs = zip(named, gradients, strict=True)
                notes.extend(notes_on(case, [source for source, g in pairs if g is not None]))

        if looks or any(kinds):
            _do_in_another_thread(explain)
    except Exception as error:  # A diagnosis must never stop a program that runs.
        failed = f"The diagnosis itself failed. Please report this error: {in_short(error)}"
        note = f"{note} {failed}".strip()
    return Explanations(made, note, tuple(notes))


def in_short(error: Exception) -> str:
    """Return the kind of an error and the first line of its message."""
    first, *_ = lines_of_message(error)
    return first if isinstance(error, CannotReplay) else f"{type(error).__name__}: {first}"


def _do_in_another_thread(work: Callable[[], Result]) -> Result:
    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(work).result()


def _explain(case: Case, source: Source, kind: Gradient) -> Explanation:
    try:
        if case.recorder.limited:
            finding = why_none_of_source(case, source) if kind == "None" else None
        elif kind == "None":
            finding = _why_none(case, source)
        else:
            find = why_zero if kind == "zero" else why_not_finite
            finding = _why_none(case, source) or find(case, source)
    except Exception as error:  # Say so instead of stopping the user's program.
        finding = Finding(Cause.UNDETERMINED, case.place, NotExamined(why=in_short(error)))
    return explanation_of(case, source, kind, finding or Finding(Cause.UNDETERMINED, case.place))


def _why_none(case: Case, source: Source) -> Finding | None:
    lost = why_none(case, source)
    return lost and instead_of_comparison(case, lost)


def _kind(gradient: Any) -> Gradient | None:
    """Return what is to be explained of a gradient; None if it needs no words."""
    if gradient is None:
        return "None"
    if not isinstance(gradient, tf.Tensor) or tf.is_symbolic_tensor(gradient):
        return None
    values = gradient.numpy()
    if not np.isfinite(values).all():
        return "not finite"
    return "zero" if values.size and not values.any() else None


def _text(
    frame: FrameType | None, place: Place | None, function: Callable[..., Any] | None
) -> ProgramText:
    """Return the text around the call of ``gradient``, or that of the function to explain."""
    names = names_in_frame(frame) if frame is not None else {}
    if function is None:
        globals_of_frame = frame.f_globals if frame is not None else {}
        return ProgramText(names, globals_of_frame, place, _running(frame, place))
    function = inspect.unwrap(getattr(function, "python_function", function))
    code = getattr(function, "__code__", None)
    if code is None:
        return ProgramText({}, {})
    closure = inspect.getclosurevars(function).nonlocals
    line = Place(code.co_filename, code.co_firstlineno)
    return ProgramText(dict(closure), {**function.__globals__, **names}, line, _running(frame))


def _running(frame: FrameType | None, place: Place | None = None) -> dict[tuple[str, int], int]:
    """Return the line at which each function is, by its file and first line; 0 for a module."""
    lines: dict[tuple[str, int], int] = {}
    for each, line in walk_stack(frame) if frame is not None else ():
        code = each.f_code
        is_module = code.co_name.startswith(("<module>", "<cell line"))
        lines.setdefault((code.co_filename, 0 if is_module else code.co_firstlineno), line)
    if place is not None:  # AutoGraph's code has other lines than the user's.
        scope = scopes_at(tree_of(place.file), place.line)[0]
        lines[place.file, first_line(scope)] = place.line
    return lines
