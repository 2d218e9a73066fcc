"""``course mistakes``: the groups of a grading, and giving one of them its name and sentence."""

import re
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path

from course_utils.exercises.exercise import stubs
from course_utils.exercises.references import stored

from ..running.fork_server import ForkServer
from ..running.public_package import exercises_version, lessons_folder, private_folders
from ..sandbox.answers import bound_names
from ..sandbox.limits import Limits
from .behaviors import (
    Answer,
    Group,
    Taught,
    behavior_of,
    groups,
    question_of,
    read_records,
    taught_to,
    write_records,
)
from .journal import Journal, secret_key
from .learned import learned_path, observed_in_sandbox
from .secret_references import References

__all__ = ["NamingError", "gallery_entry", "groups_in", "name_groups", "named_in"]

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
        raise NamingError(
            f"{results} contains no results. Specify the folder that you passed to `course grade "
            "--out`."
        )
    answers = read_records(path, Answer)
    return groups(answers, {a.exercise: question_of(a.exercise) for a in answers})


def named_in(results: Path) -> list[Taught]:
    """Return the mistakes that were named in this folder of results."""
    return read_records(results / ".grading" / "taught.jsonl", Taught)


def name_groups(
    results: Path, group_ids: Sequence[str], name: str, sentence: str, keep: bool = False
) -> tuple[list[str], list[Taught]]:
    """Write down a mistake's name and sentence for the next grading; return who made it, and it.

    Several groups of one exercise may make one mistake: each is told, and is one of its programs.
    Groups that were named before get the new name and sentence; nobody is returned for them.
    With ``keep`` the shortest program of each is saved beside the lesson's gallery, and every other
    grading also tells the sentence.

    Raises
    ------
    NamingError
        If there is no such group, or the groups are of several exercises; if the name is taken; if
        the sentence is empty, does not end, or is longer than three sentences; or if a program to
        keep does something else on its own.
    """
    found: dict[str, Group] = {}
    for group in groups_in(results):
        found.setdefault(group.id, group)
    path = results / ".grading" / "taught.jsonl"
    taught = named_in(results)
    before = {known.id: known for known in taught}
    missing = next((id_ for id_ in group_ids if id_ not in found and id_ not in before), None)
    if missing is not None:
        there = ", ".join(sorted({*found, *before})) or "none"
        raise NamingError(f"{results} has no group {missing!r}. Its groups are: {there}.")
    chosen = [found[id_] for id_ in dict.fromkeys(group_ids) if id_ in found]
    corrected = [before[id_] for id_ in dict.fromkeys(group_ids) if id_ in before]
    exercises = {group.shortest.exercise for group in chosen} | {t.exercise for t in corrected}
    exercise, *others = sorted(exercises)
    if others:
        raise NamingError(
            "Groups that are named together must be from the same exercise. Run the command once "
            "for each exercise."
        )
    name, sentence = name.strip(), sentence.strip()
    others_taught = [known for known in taught if known not in corrected]
    taken = {mistake["name"] for mistake in stored(exercise)["mistakes"]}
    taken |= {known.name for known in others_taught if known.exercise == exercise}
    if not name:
        raise NamingError("The mistake has no name. Choose one with --name.")
    if name in taken:
        raise NamingError(
            f"{exercise} already has a mistake named {name!r}. Choose a different name."
        )
    if not re.search(r"[.?]$", sentence) or len(re.findall(r"[.?](\s|$)", sentence)) > (
        _MOST_SENTENCES
    ):
        raise NamingError(
            "--sentence must be one to three sentences, and the last one must end with a period."
        )
    unnamed = [group.shortest for group in chosen if group.id not in before]
    answers: list[Answer | Taught] = [*corrected, *unnamed]
    new = [Taught(exercise, name, sentence, a.program, a.behavior) for a in answers]
    if keep:
        _keep(results / ".grading", new)
    write_records(path, [*others_taught, *new])
    return sorted({student for group in chosen for student in group.students}), new


def gallery_entry(taught: Sequence[Taught]) -> str:
    """Return a named mistake as code for the lesson's ``mistakes.py``: functions, and its entry.

    Each program stands in a function, so that nothing else of the gallery sees its names.
    """
    first, *more = taught
    answer = bound_names(stubs()[first.exercise]["source"])[-1]
    name = re.sub(r"\W+", "_", f"learned_{first.exercise}_{first.name}").strip("_")
    functions = [name, *(f"{name}_{number}" for number in range(2, len(more) + 2))]
    programs = [
        f"def {function}():\n"
        + textwrap.indent(f"{known.program.strip()}\nreturn {answer}", "    ")
        + "\n"
        for function, known in zip(functions, taught, strict=True)
    ]
    calls = "".join(f"{function}(), " for function in functions)
    entry = f"{{{first.exercise!r}: {{{first.name!r}: Wrong({first.sentence!r}, {calls}),}},}}"
    lines = _formatted(f"MISTAKES = {entry}").splitlines()  # as it stands in the gallery's dict
    return f"{_formatted(''.join(programs)).rstrip()}\n\n\n" + "\n".join(lines[2:-2])


def _formatted(code: str) -> str:
    """Return code as the lessons' formatter writes it; what is no Python, as it is."""
    command = [sys.executable, "-m", "ruff", "format", "--line-length", "100", "-"]
    run = subprocess.run(command, input=code, capture_output=True, text=True, check=False)
    return run.stdout if run.returncode == 0 else code


def _keep(state: Path, new: Sequence[Taught]) -> None:
    """Run each program by itself in the sandbox, and write all beside the lesson's gallery."""
    lessons = lessons_folder()
    exercise = new[0].exercise
    question = question_of(exercise)
    journal = Journal(state / "references.jsonl")
    references = References(lessons, secret_key(state / "key"), journal, exercises_version())
    hidden = [state.parent.resolve(), lessons.parent, *private_folders()]
    try:
        right, seed = references.right(exercise), references.seed(exercise)
        with ForkServer(state, Limits(), hidden=hidden) as server:
            server.start()
            observations = [observed_in_sandbox(server, exercise, t.program, seed) for t in new]
    finally:
        references.close()
        journal.close()
    for taught, observation in zip(new, observations, strict=True):
        try:
            behavior = behavior_of(question, observation, right)
            does_the_same = behavior and taught_to(behavior, [taught], question)
        except (KeyError, TypeError, ValueError):  # it did not run, or goes right
            does_the_same = None
        if not does_the_same:
            raise NamingError(
                "The group's shortest program behaves differently when it runs on its own, because "
                "it needs other cells of its notebook. Name the group without --keep, or write a "
                "program with this mistake into the lesson's mistakes.py. The group's program is:\n"
                + textwrap.indent(taught.program.strip(), "    ")
            )
    path, ids = learned_path(lessons, exercise), {taught.id for taught in new}
    kept = [known for known in read_records(path, Taught) if known.id not in ids]
    write_records(path, [*kept, *new])
