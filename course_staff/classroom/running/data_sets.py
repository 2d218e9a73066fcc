"""Which data sets a notebook can read while it is graded, and when they are other ones."""

import hashlib
import os
from pathlib import Path

__all__ = ["data_folders", "data_sets", "data_versions"]


def data_folders() -> list[Path]:
    """Return where data sets may stand that lessons read."""
    named = os.environ.get("COURSE_DATA_DIR")
    keras = Path(os.environ.get("KERAS_HOME", "~/.keras")).expanduser() / "datasets"
    folders = [Path(named).expanduser()] if named else []
    return [folder.resolve() for folder in (*folders, keras) if folder.is_dir()]


def data_sets() -> list[tuple]:
    """Return what changes when a data set of this machine is another one."""
    return [(path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in _files()]


def data_versions() -> dict[str, str]:
    """Return a digest of each data set, which is the same on every machine that has it."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest()[:16] for path in _files()}


def _files() -> list[Path]:
    return [path for folder in data_folders() for path in sorted(folder.glob("*.npz"))]
