"""The texts around the notebooks, cut down to what is true in a folder for students."""

import re
from pathlib import Path
from typing import Any

import tomlkit

from course_utils.workspace.curriculum import LESSONS, Lesson

__all__ = ["student_texts"]

# In Makefile and pyproject.toml, students get what stands above this line.
_CUT = "# For authors"
_EXTRAS = ("course", "gpu")  # that students may install
_AS_THEY_ARE = (".gitignore", "LICENSE", "locks/requirements.lock", "locks/requirements-gpu.lock")


def student_texts(root: Path, names: set[str]) -> dict[str, str]:
    """Return the README, the set-up files and their texts.

    Parameters
    ----------
    root : Path
        The checkout from which they are taken.
    names : set of str
        The lessons that students get, such as ``"01_first_tape"``.
    """
    texts = {name: (root / name).read_text(encoding="utf-8") for name in _AS_THEY_ARE}
    texts["README.md"] = _readme(root, names)
    makefile = (root / "Makefile").read_text(encoding="utf-8")
    texts["Makefile"] = _above_the_cut(makefile)
    texts["pyproject.toml"] = _project((root / "pyproject.toml").read_text(encoding="utf-8"))
    environment = (root / "environment.yml").read_text(encoding="utf-8")
    texts["environment.yml"] = re.sub(r"-e \.\[[a-z,]+\]", "-e .[course]", environment)
    return texts


def _above_the_cut(text: str) -> str:
    return text.split(f"\n{_CUT}")[0].rstrip() + "\n"


def _project(text: str) -> str:
    """Return pyproject.toml with what students install, and no package that they do not get."""
    project: Any = tomlkit.parse(_above_the_cut(text))
    settings = project["project"]
    extras = settings["optional-dependencies"]
    settings["optional-dependencies"] = {name: extras[name] for name in _EXTRAS}
    # A release stays a folder, in which the addresses lead somewhere.
    del settings["dynamic"]
    settings["readme"] = "README.md"
    packages = project["tool"]["setuptools"]
    packages["packages"]["find"]["include"].remove("course_staff*")
    del packages["package-data"]["course_staff"]
    return tomlkit.dumps(project)


def _readme(root: Path, names: set[str]) -> str:
    """Return the students' README, with the course's own lesson table and ways to install."""
    course = (root / "README.md").read_text(encoding="utf-8")
    students = (root / "docs" / "README-for-students.md").read_text(encoding="utf-8")
    rows = [_row(course, lesson) for lesson in LESSONS if lesson.name in names]
    installing = (root / "docs" / "installing.md").read_text(encoding="utf-8")
    install = re.search(r"^## Without make\n.*?(?=^## |\Z)", installing, re.M | re.S)
    if install is None:
        raise ValueError('docs/installing.md has no section "Without make". Restore its heading.')
    for mark, text in (("LESSONS", "\n".join(rows)), ("INSTALL", install[0].rstrip())):
        students = students.replace(f"<!-- {mark} -->", text)
    return students


def _row(readme: str, lesson: Lesson) -> str:
    """Return a lesson's row of the README's table, or one from the curriculum."""
    link = f"[{lesson.title}](work/{lesson.name}.ipynb)"
    row = re.search(rf"^\| {lesson.number} \|[^|]*(\|.*)$", readme, re.M)
    return f"| {lesson.number} | {link} {row[1] if row else f'| {lesson.minutes} | |'}"
