"""``course mistakes``: the groups of a grading, and giving one of them its name and sentence."""

import re
import textwrap
from pathlib import Path

from course_utils.course.curriculum import find_exercise
from course_utils.exercises.exercise import stubs
from course_utils.exercises.references import stored

from .behaviours import Answer, Group, Taught, did, groups, read_lines, taught_to, write_lines
from .fork_server import ForkServer
from .grading import require_lessons
from .journal import Journal, secret_key
from .learned import learned_path, observed_in_jail
from .public_package import exercises_version, private_folders
from .references import References
from .runner.answers import bound_names
from .runner.limits import Limits

__all__ = ["NamingError", "gallery_entry", "groups_in", "name_group"]

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


def name_group(
    results: Path, group_id: str, name: str, sentence: str, keep: bool = False
) -> tuple[list[str], Taught]:
    """Write down a group's name and sentence for the next grading; return its students and both.

    With ``keep`` its shortest program stands beside the lesson's gallery from now on, and every
    other grading tells the sentence, too.

    Raises
    ------
    NamingError
        If there is no such group, the name is taken, the sentence is empty, does not end, or is
        longer than three sentences, or the program to keep does something else by itself.
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
    new = Taught(exercise, name, sentence, shortest.program, shortest.did)
    if keep:
        _keep(results / ".grading", new)
    write_lines(path, [*taught, new])
    return group.students, new


def gallery_entry(taught: Taught) -> str:
    """Return a named mistake as code for the lesson's ``gallery.py``: a function, and its entry.

    The program stands in a function, so that nothing else of the gallery sees its names.
    """
    answer = bound_names(stubs()[taught.exercise]["source"])[-1]
    function = re.sub(r"\W+", "_", f"learned_{taught.exercise}_{taught.name}").strip("_")
    body = textwrap.indent(f"{taught.program.strip()}\nreturn {answer}", "    ")
    return (
        f"def {function}():\n{body}\n\n\n"
        f"    Wrong(\n        {taught.name!r},\n        {taught.sentence!r},\n"
        f"        {function}(),\n    ),"
    )


def _keep(state: Path, new: Taught) -> None:
    """Run the program by itself in the sandbox, and write it beside the lesson's gallery."""
    lessons = require_lessons()
    question = find_exercise(new.exercise)
    journal = Journal(state / "references.jsonl")
    references = References(lessons, secret_key(state / "key"), journal, exercises_version())
    hidden = [state.parent.resolve(), lessons.parent, *private_folders()]
    try:
        right = references.right(new.exercise)
        with ForkServer(state, Limits(), hidden=hidden) as server:
            server.start()
            seed = references.seed(new.exercise)
            observation = observed_in_jail(server, new.exercise, new.program, seed)
    finally:
        references.close()
        journal.close()
    try:
        does_the_same = taught_to(did(question, observation, right), [new], question) is not None
    except (KeyError, TypeError, ValueError):  # it did not run, or goes right
        does_the_same = False
    if not does_the_same:
        raise NamingError(
            "The shortest program of this group does something else when it is run by itself: it "
            "needs other cells of its notebook. Name the group without --keep, or write such a "
            "program into the lesson's gallery.py."
        )
    path = learned_path(lessons, new.exercise)
    write_lines(path, [*read_lines(path, Taught), new])
