"""``course doctor``: what this machine lacks for the course, and how to mend it."""

from __future__ import annotations

import contextlib
import io
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..datasets import load_mnist, mnist_source
from ..exercises.exercise import stubs
from .progress import course_folder, progress_path
from .session import quiet_tensorflow

if TYPE_CHECKING:
    from ..authoring.source import LessonSource

__all__ = ["Finding", "examine"]

_OLDEST_PYTHON, _NEWEST_PYTHON = (3, 10), (3, 13)
_OLDEST_TENSORFLOW = (2, 18)


@dataclass(frozen=True)
class Finding:
    """One row: what was looked at, what was found, and, where it fails, how to mend it."""

    subject: str
    found: str
    remedy: str = ""

    @property
    def is_well(self) -> bool:
        """Whether nothing needs to be done."""
        return not self.remedy


def examine() -> Iterator[Finding]:
    """Yield one finding after the other; an examination that itself fails is a finding too."""
    examinations: tuple[tuple[str, Callable[[], Finding]], ...] = (
        ("Python", _python),
        ("TensorFlow", _tensorflow),
        ("Device", _device),
        ("MNIST", _mnist),
        ("Notebooks", _notebooks),
        ("Progress", _progress),
    )
    for subject, look in examinations:
        try:
            yield look()
        except Exception as error:
            yield Finding(subject, f"{type(error).__name__}: {error}", "Run `make clean lab`.")


def _python() -> Finding:
    found = ".".join(map(str, sys.version_info[:3]))
    if _OLDEST_PYTHON <= sys.version_info[:2] <= _NEWEST_PYTHON:
        return Finding("Python", found)
    return Finding("Python", found, "Install Python 3.10, 3.11, 3.12 or 3.13 and run `make lab`.")


def _tensorflow() -> Finding:
    tf = quiet_tensorflow()
    found = f"{tf.__version__}, Keras {tf.keras.__version__}"
    version = tuple(int(part) for part in tf.__version__.split(".")[:2])
    if version < _OLDEST_TENSORFLOW:
        return Finding("TensorFlow", found, "Run `make lab`, which installs the locked version.")
    if not tf.keras.__version__.startswith("3."):
        return Finding("TensorFlow", found, "Unset TF_USE_LEGACY_KERAS: the course uses Keras 3.")
    return Finding("TensorFlow", found)


def _device() -> Finding:
    tf = quiet_tensorflow()
    product = float(tf.reduce_sum(tf.ones((2, 3)) @ tf.ones((3, 2))))
    names = [device.name for device in tf.config.list_physical_devices("GPU")] or ["CPU"]
    if product != 12.0:
        return Finding("Device", f"a product of 12 came out as {product}", "Update the driver.")
    return Finding("Device", ", ".join(names))


def _mnist() -> Finding:
    kind, path = mnist_source()
    if kind == "download":
        return Finding("MNIST", "not here yet; load_mnist will download it once")
    if path is None:
        return Finding("MNIST", "no file and no network: scikit-learn's digits will stand in")
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            load_mnist()
    except ValueError as error:
        return Finding("MNIST", f"{path} is damaged", str(error))
    return Finding("MNIST", f"{_shown(path)} (from {kind})")


def _notebooks() -> Finding:
    folder = course_folder() / "notebooks"
    wanted = {stub["notebook"] for stub in stubs().values()}
    missing = sorted(name for name in wanted if not (folder / name).exists())
    if missing:
        remedy = "Run `git restore notebooks` in the course's folder, or start `course` there."
        if not (course_folder() / "lessons").is_dir():  # students have no history to restore from
            remedy = "Copy it again from what you were given, or start `course` in that folder."
        return Finding("Notebooks", f"missing in {folder}: {', '.join(missing)}", remedy)
    return _lessons_in_step(len(wanted))


def _lessons_in_step(count: int) -> Finding:
    """Compare the notebooks with their sources, where this working copy has sources."""
    root = course_folder()
    if not (root / "lessons").is_dir():
        return Finding("Notebooks", f"all {count} are here")
    try:
        from ..authoring import build
    except ImportError:
        return Finding("Notebooks", f"all {count} are here; not compared without the author extra")
    remedy = "Save your own copy, then `git restore notebooks`, or `make build` after an edit."
    behind = []
    for lesson in build.read_lessons(build.Folders(root)):
        path = root / "notebooks" / f"{lesson.name}.ipynb"
        try:
            missing = _missing_cells(lesson, path)
        except (ValueError, KeyError, TypeError, AttributeError):
            return Finding("Notebooks", f"{path.name} cannot be read as a notebook", remedy)
        if missing:
            behind.append(f"{lesson.name} lacks {len(missing)} cells")
    if behind:
        return Finding("Notebooks", "; ".join(behind), remedy)
    return Finding("Notebooks", f"all {count} are here and in step with lessons/")


def _missing_cells(lesson: LessonSource, path: Path) -> set[str]:
    """Return the ids of the lesson's cells that the notebook, worked on or not, does not hold."""
    stored = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return {cell.id for cell in lesson.notebook.cells} - {cell.get("id") for cell in stored}


def _progress() -> Finding:
    path = progress_path()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            path.open().close()
        probe = path.parent / ".writable"
        probe.touch()
        probe.unlink()
    except OSError as error:
        remedy = "Make the folder writable, or set COURSE_PROGRESS_FILE to a file elsewhere."
        return Finding("Progress", f"{path}: {error.strerror}", remedy)
    return Finding("Progress", _shown(path))


def _shown(path: Path) -> str:
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)
