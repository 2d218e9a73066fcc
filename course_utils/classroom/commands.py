"""The commands that hand out the course: ``course release`` and ``course nbgrader``."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from ..exercises.progress import course_folder

__all__ = ["nbgrader", "release"]

Lessons = Annotated[
    str | None,
    typer.Option(
        "--lessons",
        metavar="NUMBERS",
        help="Two-digit numbers and ranges: `02`, `01,03` or `01-07`. Without it: every lesson.",
    ),
]
Force = Annotated[
    bool,
    typer.Option("--force", help="Also replace files that were changed since they were written."),
]


def release(
    out: Annotated[
        Path,
        typer.Argument(
            metavar="OUT", help="A new or empty folder, an earlier release, or a name `*.zip`."
        ),
    ],
    lessons: Lessons = None,
    force: Force = False,
) -> None:
    """Write what students get: the notebooks, the helper package, and what sets both up.

    There are no solutions in it, no lesson sources and no tests. Checks work as they do here, also
    without a network. What they know of the answers is compressed, so that nobody reads it by the
    way; it is not encrypted, and grades do not depend on it. Lesson 00 always comes along.

    Hand out the folder, or the zip: `course release gradienttape.zip --lessons 01-07`. Writing to
    the same place again replaces the release and leaves alone what others put there. For more
    lessons in mid-term, tell students to unpack into a new folder: their notebooks are their work.
    """
    with _sentences():
        from .release import release_files

        _, count = _write(release_files, out, lessons, "course release", force)
    _say(f"{count} files are in {out}. Read its README.md as your students will.")


def nbgrader(
    out: Annotated[
        Path,
        typer.Argument(metavar="OUT", help="A new or empty folder, or one written earlier."),
    ],
    lessons: Lessons = None,
    force: Force = False,
) -> None:
    """Write the lessons as an nbgrader course, one assignment a lesson.

    Each exercise is a solution cell, each of its checks an autograder test that awards the
    exercise's points, and the cells that show something are restored before grading. nbgrader
    then does its own work in that folder; the README.md there names the four commands.

    It is for classes that use nbgrader already. To run it you need `pip install -e '.[nbgrader]'`;
    to write the folder you do not.
    """
    with _sentences():
        from .nbgrader_export import nbgrader_files

        names, _ = _write(nbgrader_files, out, lessons, "course nbgrader", force)
    _say(f"{len(names)} assignments are in {out}. Next, in that folder:")
    _say(f"  nbgrader generate_assignment {names[0]}")


def _write(
    files_of: Callable, out: Path, numbers: str | None, kind: str, force: bool
) -> tuple[list[str], int]:
    """Read and choose the lessons, write their files, and return their names and the count."""
    from ..authoring.build import Folders, read_lessons
    from .choosing import choose_lessons
    from .output import write_output

    root = course_folder()
    every = read_lessons(Folders(root))
    chosen = choose_lessons(numbers, every)
    files = files_of(every, chosen, root)
    write_output(files, out, kind, force)
    return [lesson.name for lesson in chosen], len(files)


@contextmanager
def _sentences() -> Iterator[None]:
    """Show each expected mistake as its sentence, and end with status 1."""
    errors = Console(stderr=True)
    try:
        from ..authoring.build import BuildError
        from .choosing import ChoiceError
        from .nbgrader_export import NbgraderError
        from .output import OutputError
        from .release import ReleaseError
    except ImportError as error:
        errors.print(f"Reading lessons needs the author extra ({error.name} is missing):")
        errors.print("  pip install -e '.[author]'", markup=False)
        raise typer.Exit(1) from None
    try:
        yield
    except (BuildError, ChoiceError, NbgraderError, OutputError, ReleaseError, OSError) as error:
        errors.print(str(error), style="bold", markup=False, highlight=False, soft_wrap=True)
        raise typer.Exit(1) from None


def _say(text: str) -> None:
    Console().print(text, markup=False, highlight=False, soft_wrap=True)
