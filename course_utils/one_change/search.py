"""Looking for the change with which a wrong answer is right."""

import ast
import time
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, closing, suppress
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..exercises.isolation import TimeLimitReached, state_kept, time_limit
from ..exercises.judging import assess
from ..exercises.observation import observe_calls
from ..exercises.question import Question, error_of, first_wrong
from ..exercises.references import SEEDS, Reference, stored_reference
from ..exercises.safety import kept_alive, memory_limit
from .changes import Change, changes_of
from .program import Program, compiling, names_of_the_notebook, program_of

__all__ = ["Place", "in_words", "places_of_one_change", "where_to_look"]

LONGEST_RUN = 0.05  # seconds of the processor that one call of the answer may take
TIME = 1.5  # seconds of the processor for the whole search
_PATIENCE = 1.2  # so many times as long on the clock, where the machine is busy
MEMORY = 1024  # megabytes that a change may take; it may also make a loop that never ends in C
_MOST_PLACES = 3


@dataclass(frozen=True)
class Place:
    """A line in which one change is enough, and what there is to look at."""

    line: int
    code: str
    look: str


def in_words(places: list[Place]) -> str:
    """Say where one change is enough; nothing where that is nowhere known.

    >>> in_words([Place(5, "return loss * 2", "look at what is multiplied")])
    'One change is enough, in line 5, `return loss * 2`: look at what is multiplied.'
    """
    if not places:
        return ""
    if len(places) == 1:
        return "One change is enough, in line {0.line}, `{0.code}`: {0.look}.".format(*places)
    lines = "; or ".join(f"in line {each.line}, `{each.code}`: {each.look}" for each in places)
    return f"One change is enough, {lines}."


def where_to_look(question: Question, answer: Any, seed: int) -> str:
    """Say where one change is enough; else which names of the notebook the answer reads.

    A name is said where no change is known: an argument was perhaps meant.
    """
    places = places_of_one_change(question, answer, seed)
    names = [] if places else names_of_the_notebook(answer)
    if not names:
        return in_words(places)
    listed = " and ".join(f"`{name}`" for name in names)
    are = "is the notebook's, and no argument"
    if len(names) > 1:
        are = "are the notebook's, and no arguments"
    return f"In your function {listed} {are}: each call finds the same there."


def places_of_one_change(question: Question, answer: Any, seed: int) -> list[Place]:
    """Return the lines of a wrong answer in which one change makes it right on all stored seeds.

    Where tracing is slow, the wrong call has to be right on all, and the compiled program to pass
    on ``seed``. Names, random states and printed text stay as they were. An answer that trains,
    writes, uses variables of the notebook or takes long is left alone; so is what cannot be tried
    in the search's time.

    Parameters
    ----------
    question : Question
        The exercise.
    answer : object
        What was checked.
    seed : int
        The stored seed on which it is wrong; others are tried where a change is right on this one.
    """
    found: dict[int, Place] = {}
    program = program_of(answer)
    if program is not None:
        with ExitStack() as stack:
            stack.enter_context(kept_alive())
            stack.enter_context(warnings.catch_warnings())
            stack.enter_context(suppress(TimeLimitReached))
            stack.enter_context(time_limit(TIME, patience=_PATIENCE))
            stack.enter_context(memory_limit(MEMORY))
            warnings.simplefilter("ignore")
            # Closed whatever ends the search, so that functions are compiled again.
            changes = stack.enter_context(closing(_right_changes(question, program, seed)))
            for change in changes:
                place = Place(change.line, program.lines[change.line - 1].strip(), change.look)
                found.setdefault(change.line, place)
                if len(found) == _MOST_PLACES:
                    break
    return [found[line] for line in sorted(found)]


class _Wrong(NamedTuple):
    """The first call in which an answer is wrong, and the line that raised there, if one did."""

    seed: int
    number: int
    line: str


def _right_changes(
    question: Question, program: Program, seed: int
) -> Generator[Change, None, None]:
    """Yield the changes that make a program right, with nothing compiled where tracing is slow."""
    unchanged = ast.unparse(program.tree)
    for is_compiled in (True, False):
        with compiling(is_compiled):
            wrong = _first_wrong_call(question, program.function(unchanged), seed)
            if wrong is None:
                continue  # it is wrong by what is demanded of it, or only where it is compiled
            if not _is_slow(question, program.function(unchanged), wrong):
                seeds = range(SEEDS) if is_compiled else [seed]
                yield from _tried(question, program, wrong, seeds)
                return


def _is_slow(question: Question, function: Callable, wrong: _Wrong) -> bool:
    begun = time.process_time()  # of a second time: the first prepared what stays
    _is_right_there(question, function, wrong.number, wrong.seed)
    return time.process_time() - begun > LONGEST_RUN


def _tried(
    question: Question, program: Program, wrong: _Wrong, seeds: Sequence[int]
) -> Iterator[Change]:
    """Yield changes that are right in the wrong call of every seed, and pass as they stand."""
    # Where it raised an error, the line that did comes first.
    here = [n for n, text in enumerate(program.lines, 1) if text.strip() == wrong.line]
    tried = {ast.unparse(program.tree)}
    for change in changes_of(program.tree, first=here):
        text = ast.unparse(change.tree)
        if text in tried:
            continue
        tried.add(text)
        try:
            function = program.function(text)
        except Exception:  # such as a name that is not there yet
            continue
        if (
            _is_right_there(question, function, wrong.number, wrong.seed)
            and all(_is_right_there(question, function, wrong.number, i) for i in range(SEEDS))
            and all(_passes(question, program.function(text), each) for each in seeds)
        ):
            yield change


def _first_wrong_call(question: Question, function: Callable, seed: int) -> _Wrong | None:
    reference = stored_reference(question.id, seed)
    for number, call in enumerate(reference.calls):
        observation = _observed(question, function, [deepcopy(call)], seed)
        if not _agrees(question, observation, reference, number):
            return _Wrong(seed, number, (error_of(observation) or {}).get("line", ""))
    return None


def _is_right_there(question: Question, function: Callable, number: int, seed: int) -> bool:
    """Tell whether the values of one call are right; what is demanded is not asked."""
    reference = stored_reference(question.id, seed)
    call = deepcopy(reference.calls[number])  # it may be changed
    return _agrees(question, _observed(question, function, [call], seed), reference, number)


def _agrees(question: Question, observation: dict, reference: Reference, number: int) -> bool:
    right = [[part[number]] for part in reference.right]
    return first_wrong(question, observation, Reference([reference.calls[number]], right)) is None


def _passes(question: Question, function: Callable, seed: int) -> bool:
    """Tell whether a program is right as it stands, compiled if it is, by all that is demanded."""
    with compiling(True):
        observation = _observed(question, function, question.inputs_of(seed), seed)
    return assess(question, observation | {"untouched": False}, seed).outcome == "passed"


def _observed(question: Question, function: Callable, calls: Sequence[tuple], seed: int) -> dict:
    with state_kept(seed):
        return observe_calls(function, calls, question.prepare, question.call)
