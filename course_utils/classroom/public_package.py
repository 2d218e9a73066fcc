"""A copy of the package for the process that runs learners' code: without what programs did.

What is not in a process cannot be stolen there. The copy holds the questions, and neither what the
right programs and the galleries did on the stored seeds nor what only authors and graders use.
"""

import hashlib
import shutil
from collections.abc import Iterable
from pathlib import Path

__all__ = ["exercises_version", "write_public_package"]

_PACKAGE = Path(__file__).parents[1]
_LEFT_OUT = ("__main__.py", "authoring", "cli.py", "doctor.py", "__pycache__")


def write_public_package(folder: Path) -> Path:
    """Write the copy to ``folder``, in place of an older one, and return ``folder``."""
    shutil.rmtree(folder, ignore_errors=True)
    here = Path(__file__).parent

    def left_out(of: str, names: list[str]) -> Iterable[str]:
        if Path(of) == here:
            return [name for name in names if name not in ("__init__.py", "runner")]
        return [name for name in names if name in _LEFT_OUT or name.endswith(".txt")]

    try:
        shutil.copytree(_PACKAGE, folder / "course_utils", ignore=left_out)
    except shutil.Error as error:  # one line for every file, where the first says why
        raise OSError(error.args[0][0][2]) from None
    return folder


def exercises_version() -> str:
    """Return a digest that changes when anything changes on which a verdict depends."""
    exercises, here = _PACKAGE / "exercises", Path(__file__).parent
    paths = [path for path in exercises.rglob("*") if path.suffix in (".json", ".py", ".txt")]
    paths += [*(here / "runner").glob("*.py")]
    paths += [here / f"{name}.py" for name in ("batch", "conversation", "fork_server", "judging")]
    digest = hashlib.sha256()
    for path in sorted(paths, key=lambda path: (path.parent.name, path.name)):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]
