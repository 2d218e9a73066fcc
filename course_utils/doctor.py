"""``course doctor``: what this machine lacks for the course, and how to fix it."""

import contextlib
import io
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from platform import python_version

from .datasets import load_mnist, mnist_source
from .tensorflow_start import quiet_tensorflow
from .workspace.curriculum import LESSONS
from .workspace.folders import find_workspace
from .workspace.progress import progress_path

__all__ = ["Condition", "examine"]


@dataclass(frozen=True)
class Condition:
    """One row: what was looked at, what was found, and, where it fails, how to fix it."""

    subject: str
    found: str
    remedy: str = ""


def examine() -> Iterator[Condition]:
    """Yield one condition after the other; an examination that itself fails is one too."""
    examinations: dict[str, Callable[[], Condition]] = {
        "Python": _python,
        "TensorFlow": _tensorflow,
        "Device": _device,
        "MNIST": _mnist,
        "Notebooks": _notebooks,
        "Progress": _progress,
    }
    for subject, look in examinations.items():
        try:
            condition = look()
        except Exception as error:
            found = f"{type(error).__name__}: {error}"
            condition = Condition(subject, found, "Run `make clean lab`.")
        yield condition


def _python() -> Condition:
    is_supported = (3, 10) <= sys.version_info[:2] <= (3, 13)
    remedy = "" if is_supported else "Install Python 3.10, 3.11, 3.12 or 3.13 and run `make lab`."
    return Condition("Python", python_version(), remedy)


def _tensorflow() -> Condition:
    tf = quiet_tensorflow()
    remedy = ""
    if tuple(int(part) for part in tf.__version__.split(".")[:2]) < (2, 18):
        remedy = "Run `make lab`, which installs the locked version."
    elif not tf.keras.__version__.startswith("3."):
        remedy = "Unset TF_USE_LEGACY_KERAS: the course uses Keras 3."
    return Condition("TensorFlow", f"{tf.__version__}, Keras {tf.keras.__version__}", remedy)


def _device() -> Condition:
    tf = quiet_tensorflow()
    product = float(tf.reduce_sum(tf.ones((2, 3)) @ tf.ones((3, 2))))
    if product != 12.0:
        return Condition(
            "Device", f"a product that should be 12 came out as {product}", "Update the driver."
        )
    names = [device.name for device in tf.config.list_physical_devices("GPU")]
    return Condition("Device", ", ".join(names) or "CPU")


def _mnist() -> Condition:
    kind, path = mnist_source()
    if kind == "download":
        return Condition("MNIST", "not here yet; load_mnist will download it once")
    if path is None:
        return Condition("MNIST", "no file and no network: smaller digits will be used instead")
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            load_mnist()
    except ValueError as error:
        return Condition("MNIST", f"{path} is damaged", str(error))
    return Condition("MNIST", f"{_shown(path)} (from {kind})")


def _notebooks() -> Condition:
    workspace = find_workspace()
    missing = [lesson.name for lesson in LESSONS if not workspace.notebook(lesson).exists()]
    if not missing:
        found = f"all {len(LESSONS)} are in {workspace.folder}"
        return Condition("Notebooks", found)
    remedy = "Run `course start`, which copies what is missing and touches nothing else."
    if workspace.folder == Path.cwd() and not workspace.is_started:
        remedy = "Change into your copy of the lessons, or make one: `course start FOLDER`."
    return Condition("Notebooks", f"missing from {workspace.folder}: {', '.join(missing)}", remedy)


def _progress() -> Condition:
    path = progress_path()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            path.open().close()
        tempfile.TemporaryFile(dir=path.parent).close()
    except OSError as error:
        remedy = "Make the folder writable, or set COURSE_PROGRESS_FILE to a file elsewhere."
        return Condition("Progress", f"{path}: {error.strerror}", remedy)
    return Condition("Progress", _shown(path))


def _shown(path: Path) -> str:
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)
