"""The commands for instructors: ``release``, ``nbgrader``, ``grade`` and ``mistakes``."""

import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from course_utils.choosing import ChoiceError, choose_lessons
from course_utils.terminal import errors, print_text, sentence_for
from course_utils.workspace.curriculum import find_lesson
from course_utils.workspace.folders import course_folder
from course_utils.workspace.output_folder import OutputError, write_output

from ..authoring.staff_terminal import need_extra
from .grade_command import Lessons, grade

__all__ = ["COMMANDS"]


def release(
    out: Annotated[
        Path,
        typer.Argument(
            metavar="OUT",
            help=(
                "A new or empty folder, the folder of an earlier release, or a name that ends with "
                ".zip."
            ),
        ),
    ],
    lessons: Lessons = None,
) -> None:
    """Write what students get: the notebooks, the packages, and the setup files.

    A release contains no solutions, no lesson sources, and no tests. Its checks work as they do
    here, even without a network. What they know about the answers is compressed, so that nobody
    reads it by accident; it is not encrypted, and grades do not depend on it. Lesson 00 is always
    included.

    Hand out the folder or the zip: `course release gradienttape.zip --lessons 01-07`. To hand out
    more lessons or a correction, release again under the same name, because the folder in a zip has
    the name of the zip. Students unpack the new release over the old folder; their work is in
    `work/`, which is never in a release. Then they run `course update`.
    """
    with need_extra("author", "Reading lessons"):
        from .release.student_files import release_files
    _, count = _write(release_files, out, lessons, "course release")
    print_text(f"{count} files are in {out}. Read its README.md as your students will.")


def nbgrader(
    out: Annotated[
        Path,
        typer.Argument(metavar="OUT", help="A new or empty folder, or one from an earlier run."),
    ],
    lessons: Lessons = None,
) -> None:
    """Write the lessons as an nbgrader course, with one assignment for each lesson.

    Each exercise becomes a solution cell, and its check an autograder test that awards the points.
    nbgrader restores all other cells before it grades. The README.md in the folder lists the
    nbgrader commands to run there.

    This is for classes that already use nbgrader. You need nbgrader to run these commands, but not
    to write the folder.
    """
    with need_extra("author", "Reading lessons"):
        from .release.nbgrader_export import nbgrader_files
    names, _ = _write(nbgrader_files, out, lessons, "course nbgrader")
    print_text(f"{len(names)} assignments are in {out}. Next, in that folder:")
    print_text(f"  nbgrader generate_assignment {names[0]}")


def _write(
    files_of: Callable, out: Path, numbers: str | None, command: str
) -> tuple[list[str], int]:
    """Read and choose the lessons, write their files, and return their names and the count."""
    from ..authoring.build import BuildError, Folders, read_lessons
    from .release.nbgrader_export import NbgraderError
    from .release.student_files import ReleaseError

    root = course_folder()
    with sentence_for(BuildError, ChoiceError, NbgraderError, OutputError, ReleaseError, OSError):
        every = read_lessons(Folders(root))
        wanted = choose_lessons(numbers, [lesson.name[:2] for lesson in every])
        chosen = [lesson for lesson in every if lesson.name[:2] in wanted]
        files = files_of(every, chosen, root)
        write_output(files, out, command)
    return [lesson.name for lesson in chosen], len(files)


def mistakes(
    results: Annotated[
        Path, typer.Argument(metavar="RESULTS", help="The folder that `course grade` wrote.")
    ],
    group: Annotated[
        list[str] | None,
        typer.Option(
            metavar="GROUP",
            help="The group to explain a mistake to, such as 01.1-3fa2. Repeat the option for "
            "other groups with the same mistake. Name a group again to correct its message.",
        ),
    ] = None,
    name: Annotated[str, typer.Option(help="The mistake in a few words, for tables.")] = "",
    sentence: Annotated[
        str,
        typer.Option(help="The message for everybody in the group: the mistake, and what to do."),
    ] = "",
    keep: Annotated[
        bool,
        typer.Option(
            "--keep",
            help="Also use the message in later grading runs, and print the entry for the lesson's "
            "mistakes.py, so that `check` shows it in notebooks.",
        ),
    ] = False,
) -> None:
    """Show the wrong answers that no known mistake explains, grouped by what they did.

    Their authors got a general message, such as what was returned, or by what factor it is wrong.

    In one grading, all answers get the same inputs, so answers that behave alike are in one group,
    however they are written. The largest group comes first, with its shortest program. Give a group
    a name and a message. The next `course grade` into the same folder shows this message to
    everybody in the group. A mistake with several results, such as a step of 0.05 or of 0.1 instead
    of the argument, makes several groups. Name them in one command, with `--group` before each.

    With `--keep`, the program is kept in the lesson's folder, in `learned.jsonl`. Later gradings
    run it in the sandbox, and show the message for every answer that behaves like it.

    The `check` in notebooks knows only the lesson's `mistakes.py`, which `course build` runs
    without a sandbox. So `--keep` also prints an entry for this file. Read the program, paste the
    entry, and run `course build`. After the next `course release`, learners see the message.

    For example:

    - `course mistakes ../results`

    - `course mistakes ../results --group 01.1-3fa2 --name "cubed" --sentence "You cubed x. Square
      it instead: x**2."`
    """
    from .judging.naming import NamingError, gallery_entry, groups_in, name_groups, named_in
    from .running.fork_server import ServerFailed
    from .running.public_package import NoLessons

    given = [bool(group), bool(name), bool(sentence)]
    if (any(given) or keep) and not all(given):
        errors.print("To name a group, use all three options: --group, --name, and --sentence.")
        raise typer.Exit(2)
    with sentence_for(NamingError, NoLessons, ServerFailed, OSError):
        if group:
            students, taught = name_groups(results, group, name, sentence, keep)
            when = f"the next time that you grade with {results} as the results folder"
            subject = "1 student gets" if len(students) == 1 else f"{len(students)} students get"
            print_text(
                f"{subject} this message {when}: {', '.join(students)}"
                if students
                else f"Everyone who made this mistake gets the new message {when}."
            )
            if keep:
                exercise = taught[0].exercise
                folder = find_lesson(exercise[:2]).name
                print_text(
                    "Later grading runs show it as well. To show it in notebooks, read the code "
                    f"below and add it to lessons/{folder}/mistakes.py: put each function above "
                    f"the table that MISTAKES names for {exercise}, and the remaining lines into "
                    f"that table. Then run `course build {exercise[:2]}`. The next release will "
                    f"include the message.\n\n{gallery_entry(taught)}"
                )
            return
        named = {known.id: known for known in named_in(results)}
        found = [each for each in groups_in(results) if each.id not in named]
    count = sum(len(answers.answers) for answers in found)
    if not found:
        print_text("The known mistakes explain every wrong answer.")
    else:
        print_text(f"Wrong answers that no known mistake explains: {count} (groups: {len(found)}).")
    for answers in found:
        students = answers.students
        plural = "s" if len(students) > 1 else ""
        print_text(f"\n{answers.id} · {len(students)} student{plural}: {', '.join(students)}")
        print_text(f"The message so far: {answers.shortest.message}")
        program = answers.shortest.program.strip() or (
            "(no cell of the notebook defines the answer)"
        )
        print_text(textwrap.indent(program, "    "))
    if named:
        print_text("\nNamed in this folder. To correct one, name its group again:")
        for known in named.values():
            print_text(f"{known.id} · {known.name}: {known.sentence}")


COMMANDS = (release, nbgrader, grade, mistakes)
