"""Wrong answers that no gallery explains, grouped by what they did, and what is said of them.

All answers of a grading met the same inputs, so one can see which of them behave alike. A teacher
names a group and writes one sentence, which everybody in it gets at the next grading.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from course_utils.exercises.exercise import stubs
from course_utils.exercises.question import Question, first_wrong
from course_utils.exercises.readings import form_of, pieces
from course_utils.exercises.references import RAISED, KnownMistake, Reference, decoded
from course_utils.workspace.atomic_files import write_atomically
from course_utils.workspace.curriculum import find_exercise

from ...authoring.storing import encoded
from ..sandbox.answers import bound_names
from ..sandbox.cells import Cell

__all__ = [
    "Answer",
    "Behavior",
    "Group",
    "Taught",
    "behavior_of",
    "groups",
    "program_in",
    "question_of",
    "read_records",
    "taught_to",
    "write_records",
]

_LARGEST = 50_000  # characters that are kept of one answer's readings


@dataclass(frozen=True, eq=False)
class Behavior:
    """What a wrong answer did: in which part it first went wrong, and its readings there.

    The readings are those of each call; of an answer that raised, the signature of the error. They
    have as many digits as are stored.
    """

    part: int
    readings: Any

    @classmethod
    def of(cls, part: int, readings: Any) -> "Behavior | None":
        """Return a behavior; None where it is too much to keep."""
        data = [part, encoded(readings)]
        return cls.from_json(data) if len(json.dumps(data)) <= _LARGEST else None

    @classmethod
    def from_json(cls, data: list) -> "Behavior":
        """Return what `to_json` wrote."""
        part, readings = data
        return cls(part, decoded(readings))

    def to_json(self) -> list:
        """Return the behavior as JSON can hold it."""
        return [self.part, encoded(self.readings)]

    def as_mistake(self, name: str = "", sentence: str = "") -> KnownMistake:
        """Return a mistake that others are compared with."""
        return KnownMistake(name, sentence, self.part, self.readings)

    def is_that_of(self, mistake: KnownMistake, question: Question) -> bool:
        """Tell whether whoever made the mistake did the same."""
        tolerance = question.parts[self.part].tolerance
        return mistake.explains(self.part, self.readings, tolerance)


@dataclass(frozen=True)
class Answer:
    """A wrong answer that no program of a gallery explains, and the message that its author got."""

    exercise: str
    student: str
    submission: str
    message: str
    program: str
    behavior: Behavior


@dataclass(frozen=True)
class Taught:
    """A mistake that a teacher named: its exercise, its sentence, and what its makers did."""

    exercise: str
    name: str
    sentence: str
    program: str
    behavior: Behavior

    @property
    def id(self) -> str:
        """The id of the group that was named."""
        return _id_of(self.exercise, self.program, self.behavior)


@dataclass(frozen=True)
class Group:
    """Answers to one exercise that did the same."""

    answers: tuple[Answer, ...]

    @property
    def shortest(self) -> Answer:
        """The answer with the shortest program."""
        return min(self.answers, key=lambda a: (len(a.program.strip()), a.program, a.student))

    @property
    def students(self) -> list[str]:
        """Who gave one of the answers."""
        return sorted({answer.student for answer in self.answers})

    @property
    def id(self) -> str:
        """The exercise, and four letters that stay as long as its shortest program does.

        Where no program was found, as long as it does the same.
        """
        return _id_of(self.shortest.exercise, self.shortest.program, self.shortest.behavior)


def _id_of(exercise_id: str, program: str, behavior: Behavior) -> str:
    what = program or json.dumps(behavior.to_json())
    digest = hashlib.sha256(what.encode("utf-8", "replace")).hexdigest()
    return f"{exercise_id}-{digest[:4]}"


def question_of(exercise_id: str) -> Question:
    """Return the exercise with this id, of which a function is the answer."""
    exercise = find_exercise(exercise_id)
    if not isinstance(exercise, Question):
        raise LookupError(
            f"The answer to exercise {exercise_id} is a value, not a function. Only wrong answers "
            "that are functions can be named."
        )
    return exercise


def behavior_of(question: Question, observation: dict, reference: Reference) -> Behavior | None:
    """Return what a wrong answer did; None where that is too much to keep.

    Where its form is wrong, only the pieces of another form count, such as a gradient that is None:
    those beside it are left out, whatever their numbers are.
    """
    part, readings = first_wrong(question, observation, reference)  # type: ignore[misc]
    if part != RAISED:
        pairs = zip(readings, reference.right[part], strict=True)
        readings = [_of_other_form(got, right) for got, right in pairs]
    return Behavior.of(part, readings)


def _of_other_form(got: Any, right: Any) -> Any:
    """Return a reading without its pieces that have the right form; all of it if all have."""
    given, expected = pieces(got), pieces(right)
    if given.keys() != expected.keys():
        return got
    wrong = [place for place in given if form_of(given[place]) != form_of(expected[place])]
    return {str(place): _of_other_form(given[place], expected[place]) for place in wrong} or got


def program_in(cells: Iterable[Cell], exercise_id: str) -> str:
    """Return the source of the cell that answers an exercise; empty where none is found.

    It is the last cell with the exercise's mark or id, or that binds the name its stub binds.
    """
    stub = stubs()[exercise_id]
    names = set(_names(stub["source"])[-1:])
    programs = [
        cell.source
        for cell in cells
        if exercise_id == cell.exercise
        or stub["cell"] == cell.id
        or names & set(_names(cell.source))
    ]
    return programs[-1] if programs else ""


_names = lru_cache(maxsize=10_000)(bound_names)  # most cells of a class are those it was given


def groups(answers: Iterable[Answer], questions: dict[str, Question]) -> list[Group]:
    """Return the answers in groups that did the same, the largest group first.

    Parameters
    ----------
    answers : iterable of Answer
        Of one grading.
    questions : dict of str to Question
        By id; they say how far two numbers may be apart.
    """
    members: list[list[Answer]] = []
    for answer in answers:
        question = questions[answer.exercise]
        for group in members:
            first = group[0]
            if first.exercise == answer.exercise and answer.behavior.is_that_of(
                first.behavior.as_mistake(), question
            ):
                group.append(answer)
                break
        else:
            members.append([answer])
    made = [Group(tuple(group)) for group in members]
    return sorted(made, key=lambda g: (-len(g.students), g.shortest.exercise, g.id))


def taught_to(behavior: Behavior, taught: Sequence[Taught], question: Question) -> Taught | None:
    """Return the mistake that a teacher named and that did the same, or None."""
    for known in taught:
        mistake = known.behavior.as_mistake()
        if known.exercise == question.id and behavior.is_that_of(mistake, question):
            return known
    return None


Record = TypeVar("Record", Answer, Taught)


def read_records(path: Path, kind: type[Record]) -> list[Record]:
    """Return the records of a file, one a line; none where there is no file."""
    if not path.exists():
        return []
    lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [kind(**line | {"behavior": Behavior.from_json(line["behavior"])}) for line in lines]


def write_records(path: Path, records: Sequence[Answer] | Sequence[Taught]) -> None:
    """Write the records, one a line, in place of what the file held."""
    lines = [vars(record) | {"behavior": record.behavior.to_json()} for record in records]
    write_atomically(path, "".join(json.dumps(line) + "\n" for line in lines))
