"""A copy of the packages for the process that runs learners' code: without what programs did.

What is not in a process cannot be stolen there. The copy holds the questions, and neither what the
right programs and the galleries did on the stored seeds nor what only authors and graders use.
"""

import hashlib
import platform
import shutil
import sys
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path

import course_utils
import gradient_tools
from course_utils.exercises.lesson_questions import COPIES, generated_folder, questions_path
from course_utils.exercises.references import without_programs
from course_utils.workspace.curriculum import LESSONS
from course_utils.workspace.folders import course_folder

from ...authoring.keys import code_of

__all__ = [
    "NoLessons",
    "checkout_folders",
    "exercises_version",
    "lessons_folder",
    "package_versions",
    "private_folders",
    "write_public_package",
]

_PACKAGE = Path(course_utils.__file__).parent
_TOOLS = Path(gradient_tools.__file__).parent
_STAFF = Path(__file__).parents[2]
_LIBRARIES = ("tensorflow", "keras", "numpy")
_LEFT_OUT = ("__main__.py", "cli.py", "doctor.py", "__pycache__")


class NoLessons(Exception):
    """There is no checkout, in which the right programs are; the message says what to do."""


def write_public_package(folder: Path) -> Path:
    """Write the copy to ``folder``, in place of an older one, and return ``folder``."""
    shutil.rmtree(folder, ignore_errors=True)

    def left_out(of: str, names: list[str]) -> Iterable[str]:
        return [name for name in names if name in _LEFT_OUT or name.endswith(".txt")]

    try:
        for package in (_TOOLS, _PACKAGE):
            shutil.copytree(package, folder / package.name, ignore=left_out)
        _copy_questions(folder / COPIES)
        _copy_sandbox(folder)
    except shutil.Error as error:  # one line for every file, where the first says why
        raise OSError(error.args[0][0][2]) from None
    return folder


def private_folders() -> list[Path]:
    """Return the folders of the packages and of what programs did: what the copy leaves out.

    Only these: beside them, where the packages are installed, are Python's libraries.
    """
    folders = [_TOOLS, _PACKAGE, _STAFF]
    generated = generated_folder(_PACKAGE.parent)
    if not generated.is_relative_to(_PACKAGE):
        folders.append(generated)
    return [folder.resolve() for folder in folders]


def _copy_questions(folder: Path) -> None:
    """Write the lessons' questions, and their stubs without what programs did."""
    folder.mkdir(parents=True, exist_ok=True)
    generated = generated_folder(_PACKAGE.parent)
    shutil.copy(generated / "lessons.json", folder)
    for lesson in LESSONS:
        name = f"lesson_{lesson.number}"
        shutil.copy(questions_path(lesson.number), folder / f"{name}.py")
        stored = (generated / f"{name}.txt").read_text(encoding="ascii")
        (folder / f"{name}.txt").write_text(without_programs(stored), encoding="ascii")


def _copy_sandbox(folder: Path) -> None:
    """Write what runs a notebook, and of ``course_staff`` no more than leads there."""
    sandbox = Path("classroom", "sandbox")
    skipped = shutil.ignore_patterns("__pycache__")
    shutil.copytree(_STAFF / sandbox, folder / _STAFF.name / sandbox, ignore=skipped)
    for place in (Path(), sandbox.parent):
        shutil.copy(_STAFF / place / "__init__.py", folder / _STAFF.name / place)


def checkout_folders() -> list[Path]:
    """Return the checkouts of the course that this process knows of: they hold the solutions."""
    return [
        root.resolve() for root in (_STAFF.parent, course_folder()) if (root / "lessons").is_dir()
    ]


def lessons_folder() -> Path:
    """Return the folder that holds the right programs and the galleries.

    Raises
    ------
    NoLessons
        If neither this package nor the working folder is in a checkout.
    """
    for checkout in (_STAFF.parent, course_folder()):
        if any((checkout / "lessons").glob("*/mistakes.py")):
            return checkout.resolve() / "lessons"
    raise NoLessons(
        "There are no lessons here. Answers are compared with the lessons' solutions, so run "
        "`course grade` in a checkout of the whole course."
    )


def exercises_version() -> str:
    """Return a digest that changes when anything changes on which a verdict depends.

    That is the packages, the code of the lessons with their known mistakes, and the libraries. The
    text of a lesson does not count. More of the packages counts than is needed, because running
    a class again costs less than grading it in two ways.
    """
    lessons = [folder / "lessons" for folder in (_STAFF.parent, course_folder())]
    digest = _digest(_TOOLS, _PACKAGE, _STAFF, next(filter(Path.is_dir, lessons), lessons[0]))
    digest.update(repr([sys.version, *map(version, _LIBRARIES)]).encode())
    return digest.hexdigest()[:16]


def package_versions() -> dict[str, str]:
    """Return what a machine must share with the grader to run notebooks as it does."""
    return {
        "copy of the course": _digest(_TOOLS, _PACKAGE, _STAFF).hexdigest()[:16],
        "Python": platform.python_version(),
        **{name: version(name) for name in _LIBRARIES},
    }


def _digest(*folders: Path) -> "hashlib._Hash":
    """Return the digest of what stands in these folders, and of the questions, wherever they do."""
    digest = hashlib.sha256()
    for lesson in LESSONS:
        digest.update(questions_path(lesson.number).read_bytes())
    for folder in (*folders, generated_folder(_PACKAGE.parent)):
        for path in sorted(folder.rglob("*")):
            is_copy = path.parent.name == COPIES.name and path.stem[-2:].isdigit()
            if is_copy and path.suffix == ".py":
                continue  # of questions, which count by themselves
            if path.name == "lessons.json":
                continue  # titles and minutes, on which no verdict depends
            if path.suffix in (".csv", ".json", ".py", ".pyi", ".txt") and path.is_file():
                place = path.relative_to(folder).as_posix()
                content = path.read_bytes()
                if path.name == "lesson.py":
                    content = code_of(content.decode("utf-8")).encode()
                digest.update(f"{place}\0{len(content)}\0".encode() + content)
    return digest
