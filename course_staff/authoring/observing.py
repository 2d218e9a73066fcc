"""Observing right programs and known mistakes, and what is wrong with a list of mistakes.

A list is good if on every seed each of its programs goes wrong, and no two of its mistakes look
alike. Then each sentence can be said, whatever is drawn.
"""

import ast
import linecache
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from course_utils.exercises.isolation import state_kept
from course_utils.exercises.observation import describe, file_of
from course_utils.exercises.question import Question, ValueQuestion, first_wrong
from course_utils.exercises.readings import form_of, value_of
from course_utils.exercises.references import RAISED, KnownMistake, Reference
from course_utils.exercises.sentences import Between, Table, Wrong

from .storing import encoded

__all__ = [
    "MistakesError",
    "answer_of_cells",
    "known_mistake",
    "observe_mistakes",
    "observe_right",
    "prediction_data",
    "require_told_apart",
]


class MistakesError(Exception):
    """A right or a wrong program does not do what it stands for; the message says which."""


def answer_of_cells(sources: Mapping[str, str], name: str) -> Any:
    """Run the cells of these exercises, and nothing else, and return what is bound to ``name``."""
    import keras
    import numpy as np
    import tensorflow as tf

    namespace = {"tf": tf, "np": np, "keras": keras}
    for exercise_id, source in sources.items():
        # As in a notebook, the source can be read again, which AutoGraph needs.
        linecache.cache[exercise_id] = (len(source), None, source.splitlines(True), "")
        exec(compile(source, exercise_id, "exec"), namespace)
    return namespace[name]


def checked_name(exercise_id: str, sources: Sequence[str]) -> str:
    """Return the name that the lesson's cells pass to the exercise's check."""
    for source in sources:
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "check":
                if node.args[0].value == exercise_id:  # type: ignore[attr-defined]
                    return node.args[1].id  # type: ignore[attr-defined]
    raise LookupError(exercise_id)


def _observed(question: Question, program: Callable, calls: list[tuple], seed: int) -> dict:
    with state_kept(seed):
        return question.observe_on(program, calls)


def observe_right(question: Question, program: Callable, seed: int) -> Reference:
    """Observe the right program on a seed.

    Raises
    ------
    MistakesError
        If it raises, does not meet what the statement demands, or cannot be read.
    """
    calls = list(question.draw(np_generator(seed)))
    observation = _observed(question, program, calls, seed)
    for record in observation.get("calls", [{"raised": observation}]):
        if "raised" in record:
            raise MistakesError(f"{question.id}: the solution raised {record['raised']}")
    noted = question.noted_in(observation)
    unmet = [demand.name for demand in question.demands if not demand.met(noted)]
    if unmet:
        raise MistakesError(f"{question.id}: the solution does not meet the demand {unmet[0]!r}")
    with _slips_named(question):
        return Reference(calls, question.readings_of(observation, calls, of_any_form=False))


@contextmanager
def _slips_named(question: Question) -> Iterator[None]:
    """Name the line of the questions at which the ``read`` of a part raises."""
    try:
        yield
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        own = [frame for frame in frames if frame.filename == file_of(question.draw)]
        at = ", at {0.filename}, line {0.lineno}: {0.line}".format(own[-1]) if own else ""
        raise MistakesError(
            f"{question.id}: `read=` raises {type(error).__name__}: {error}{at}"
        ) from error


def np_generator(seed: int) -> Any:
    """Return the generator from which a seed's inputs are drawn."""
    import numpy as np

    return np.random.default_rng(seed)


def observe_mistakes(
    question: Question, mistakes: Mapping[str, Wrong], right: Reference, seed: int
) -> Reference:
    """Return the reference with what every wrong program did, in the order of the list."""
    known = [
        known_mistake(question, name, wrong, _observed(question, program, right.calls, seed), right)
        for name, wrong in mistakes.items()
        for program in wrong.programs
    ]
    return Reference(right.calls, right.right, known)


def require_told_apart(question: Question, reference: Reference, seed: int) -> None:
    """Make sure that every mistake shows on a seed, and that no other is taken for it.

    Raises
    ------
    MistakesError
        If a wrong program passes, or two mistakes look alike.
    """
    for i, mistake in enumerate(reference.wrong):
        if mistake.part == len(question.parts):
            raise MistakesError(
                f"{question.id}, seed {seed}: the wrong program {mistake.name!r} passes"
            )
        for first in reference.wrong[:i]:
            if first.name != mistake.name and _hides(question, first, mistake):
                raise MistakesError(
                    f"{question.id}, seed {seed}: {mistake.name!r} behaves like {first.name!r}"
                )


def known_mistake(
    question: Question, name: str, wrong: Wrong, observation: dict, right: Reference
) -> KnownMistake:
    """Turn the observation of a mistake's program into what answers are compared with.

    Raises
    ------
    MistakesError
        If it, or a question's ``read``, raises by a slip of its author.
    """
    # Where no answer is compared with it.
    behind = len(question.parts), []  # type: ignore[var-annotated]
    with _slips_named(question):
        part, readings = first_wrong(question, observation, right) or behind
    if part == RAISED:
        _require_meant(question, name, observation["calls"][-1]["raised"])
    return KnownMistake(name, wrong.sentence, part, readings, wrong.calls)


def _require_meant(question: Question, name: str, raised: dict) -> None:
    """Make sure that a program does not raise by a slip of its author."""
    of_a_module = raised["type"] == "AttributeError" and "module " in raised["message"]
    if of_a_module or raised["type"] in ("NameError", "UnboundLocalError", "ImportError"):
        raise MistakesError(
            f"{question.id}: the wrong program {name!r} raises {raised['type']}: "
            f"{raised['message']}. Fix the program, because no learner's answer would fail in this "
            "way."
        )


def _hides(question: Question, first: KnownMistake, later: KnownMistake) -> bool:
    """Tell whether an answer that does what ``later`` does is told of ``first``."""
    return first.explains(later.part, later.readings, question.parts[first.part].tolerance)


def prediction_data(prediction: ValueQuestion, right: Any, tables: Table | Sequence[Table]) -> dict:
    """Return the right value of a prediction and its tables, as they are stored.

    Raises
    ------
    MistakesError
        If there is not one table for each entry.
    """
    reading = value_of(describe(right))
    if not prediction.entries:
        return {"right": encoded(reading), "tables": [_table_data(tables, reading)]}  # type: ignore[arg-type]
    entries = [value_of(describe(item)) for item in right]
    if not len(entries) == len(tables) == len(prediction.entries):  # type: ignore[arg-type]
        raise MistakesError(f"{prediction.id}: it needs one entry and one table for each value")
    data = [
        _table_data(table, entry)
        for table, entry in zip(tables, entries, strict=True)  # type: ignore[arg-type]
    ]
    return {"right": [encoded(entry) for entry in entries], "tables": data}


def _table_data(table: Table, right: Any) -> dict:
    rows, forms = [], [right]
    for value, sentence in table.rows.items():
        if isinstance(value, Between):
            rows.append({"from": value.low, "to": value.high, "sentence": sentence})
            continue
        reading = value_of(describe(value))
        rows.append({"value": encoded(reading), "sentence": sentence})
        forms.append(reading)
    distinct = {repr(form_of(form)): encoded(form) for form in forms}
    return {"rows": rows, "forms": list(distinct.values()), "otherwise": table.otherwise}
