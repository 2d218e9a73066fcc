"""``course mistakes``: the groups of a grading, and giving one of them its name and sentence."""

import re
from pathlib import Path

from course_utils.course.curriculum import find_exercise
from course_utils.exercises.references import stored

from .behaviours import Answer, Group, Taught, groups, read_lines, write_lines

__all__ = ["NamingError", "groups_in", "name_group"]

_MOST_SENTENCES = 3


class NamingError(Exception):
    """There is no such grading or group, or its name or sentence will not do."""


def groups_in(results: Path) -> list[Group]:
    """Return the groups of a grading's unexplained answers, the largest first.

    Raises
    ------
    NamingError
        If ``results`` is no folder that ``course grade`` wrote.
    """
    path = results / ".grading" / "unexplained.jsonl"
    if not path.exists():
        raise NamingError(f"{results} holds no grading. Name the folder given to `--out`.")
    answers = read_lines(path, Answer)
    return groups(answers, {a.exercise: find_exercise(a.exercise) for a in answers})


def name_group(results: Path, group_id: str, name: str, sentence: str) -> list[str]:
    """Keep a group's name and sentence for the next grading, and return its students.

    Raises
    ------
    NamingError
        If there is no such group, the name is taken, or the sentence is empty, does not end, or is
        longer than three sentences.
    """
    found = groups_in(results)
    group = next((one for one in found if one.id == group_id), None)
    if group is None:
        there = ", ".join(one.id for one in found) or "none"
        raise NamingError(f"There is no group {group_id!r} in {results}; there are: {there}.")
    name, sentence = name.strip(), sentence.strip()
    exercise = group.shortest.exercise
    path = results / ".grading" / "taught.jsonl"
    taught = read_lines(path, Taught)
    taken = {mistake["name"] for mistake in stored(exercise)["mistakes"]}
    taken |= {one.name for one in taught if one.exercise == exercise}
    if not name or name in taken:
        raise NamingError(f"A mistake of {exercise} needs a name of its own; taken: {name!r}.")
    if not re.search(r"[.?]$", sentence) or len(re.findall(r"[.?](\s|$)", sentence)) > (
        _MOST_SENTENCES
    ):
        raise NamingError("Write one to three sentences, the last one with its full stop.")
    shortest = group.shortest
    taught.append(Taught(exercise, name, sentence, shortest.program, shortest.did))
    write_lines(path, taught)
    return group.students
