"""Wrong answers that no gallery explains, grouped by what they did, and what is said of them.

All answers of a grading met the same inputs, so answers that behave alike can be seen to. A teacher
names a group and writes one sentence; at the next grading everybody in it is told.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

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
    "NUMBER",
    "Answer",
    "Group",
    "Taught",
    "as_data",
    "as_known",
    "did",
    "groups",
    "program_in",
    "question_of",
    "read_lines",
    "taught_to",
    "write_lines",
]

NUMBER = re.compile(r"-?\d+(\.\d+)?(e[+-]?\d+)?")
_LARGEST = 50_000  # characters that are kept of one answer's readings


@dataclass(frozen=True)
class Answer:
    """A wrong answer that no program of a gallery explains: whose it is, what it did, its program.

    ``did`` is what `did` returned, ``message`` what its author was told, and ``where`` in which
    line one change is enough, where that is known.
    """

    exercise: str
    student: str
    submission: str
    message: str
    program: str
    did: list
    where: str = ""


@dataclass(frozen=True)
class Taught:
    """A mistake that a teacher named: its exercise, its sentence, and what its makers did."""

    exercise: str
    name: str
    sentence: str
    program: str
    did: list


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
    def where(self) -> str:
        """Where one change is enough, in the shortest program of which that is known."""
        found = [each for each in self.answers if each.where]
        return Group(tuple(found)).shortest.where if found else ""

    @property
    def place(self) -> tuple[str, str]:
        """The exercise, and where one change is enough, without the numbers that stand there."""
        return self.shortest.exercise, NUMBER.sub("#", self.where)

    @property
    def id(self) -> str:
        """The exercise, and four letters that stay as long as its shortest program does.

        Where no program was found, as long as it does the same.
        """
        what = self.shortest.program or json.dumps(self.shortest.did)
        digest = hashlib.sha256(what.encode("utf-8", "replace")).hexdigest()
        return f"{self.shortest.exercise}-{digest[:4]}"


def question_of(exercise_id: str) -> Question:
    """Return the exercise with this id, of which a function is the answer."""
    exercise = find_exercise(exercise_id)
    if not isinstance(exercise, Question):
        raise LookupError(f"Exercise {exercise_id} is answered with a value, not with a function.")
    return exercise


def did(question: Question, observation: dict, reference: Reference) -> list | None:
    """Return what a wrong answer did, as JSON can hold it; None where that is too much to keep.

    Where its form is wrong, only the pieces of another form count, such as a gradient that is None:
    those beside it are left out, whatever their numbers are.
    """
    part, readings = first_wrong(question, observation, reference)  # type: ignore[misc]
    if part != RAISED:
        pairs = zip(readings, reference.right[part], strict=True)
        readings = [_of_other_form(got, right) for got, right in pairs]
    return as_data(part, readings)


def _of_other_form(got: Any, right: Any) -> Any:
    """Return a reading without its pieces that have the right form; all of it if all have."""
    given, expected = pieces(got), pieces(right)
    if given.keys() != expected.keys():
        return got
    wrong = [place for place in given if form_of(given[place]) != form_of(expected[place])]
    return {str(place): _of_other_form(given[place], expected[place]) for place in wrong} or got


def as_data(part: int, readings: Any) -> list | None:
    """Return a behaviour as JSON can hold it; None where that is too much to keep."""
    data = [part, encoded(readings)]
    return data if len(json.dumps(data)) <= _LARGEST else None


def program_in(cells: Iterable[Cell], exercise_id: str) -> str:
    """Return the source of the cell that answers an exercise; empty where none is found.

    It is the last cell with the exercise's mark or id, or that binds the name its stub binds.
    """
    stub = stubs()[exercise_id]
    names = set(_names(stub["source"])[-1:])
    own = [
        cell.source
        for cell in cells
        if exercise_id == cell.exercise
        or stub["cell"] == cell.id
        or names & set(_names(cell.source))
    ]
    return own[-1] if own else ""


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
    found: list[tuple[KnownMistake, list[Answer]]] = []
    for answer in answers:
        part, readings = _as_read(answer.did)
        for known, members in found:
            is_same_exercise = members[0].exercise == answer.exercise
            tolerance = questions[answer.exercise].parts[part].tolerance
            if is_same_exercise and known.explains(part, readings, tolerance):
                members.append(answer)
                break
        else:
            found.append((KnownMistake("", "", part, readings), [answer]))
    made = [Group(tuple(members)) for _, members in found]
    return sorted(made, key=lambda g: (-len(g.students), g.shortest.exercise, g.id))


def taught_to(answer_did: list, taught: Sequence[Taught], question: Question) -> Taught | None:
    """Return the mistake that a teacher named and that does what this answer did, or None."""
    part, readings = _as_read(answer_did)
    for one in taught:
        known = as_known(one.name, one.sentence, one.did)
        tolerance = question.parts[part].tolerance
        if one.exercise == question.id and known.explains(part, readings, tolerance):
            return one
    return None


def as_known(name: str, sentence: str, done: list) -> KnownMistake:
    """Return what `did` returned of an answer as a mistake that others are compared with."""
    return KnownMistake(name, sentence, *_as_read(done))


def _as_read(data: list) -> tuple[int, Any]:
    part, readings = data
    return part, decoded(readings)


def read_lines(path: Path, kind: type) -> list:
    """Return the records of a file, one a line; none where there is no file."""
    if not path.exists():
        return []
    return [kind(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


def write_lines(path: Path, records: Iterable) -> None:
    """Write the records, one a line, in place of what the file held."""
    text = "".join(json.dumps(asdict(record)) + "\n" for record in records)
    write_atomically(path, text)
