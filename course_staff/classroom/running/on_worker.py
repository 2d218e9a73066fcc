"""What a Dask worker does in a grading: it runs notebooks, in its own sandbox and TensorFlow.

It judges nothing, and needs neither lessons nor solutions. It gets a notebook, limits and seeds,
gives a seed to the notebook when that asks for it, and sends back what was observed, as text.
"""

import asyncio
import json
import shutil
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..sandbox.limits import Limits
from .data_sets import data_folders, data_versions
from .fork_server import ForkServer, ServerFailed
from .public_package import checkout_folders, package_versions, private_folders

__all__ = ["end_grading", "grading_settings", "run_notebook", "try_out"]


@dataclass
class _Warm:
    server: ForkServer
    folder: Path
    running: int = 0


# One for each grading that uses this worker, by the grading's name.
_warm: dict[str, _Warm] = {}
_lock = threading.Lock()


def grading_settings(name: str, limits: Limits, hidden: list[Path]) -> dict[str, Any]:
    """Return what every worker must know, and must have just so, as plain data."""
    return {
        "name": name,
        "limits": limits.as_dict(),
        "hidden": [str(path) for path in hidden],
        "versions": package_versions() | data_versions(),
    }


async def try_out(settings: dict[str, Any], dask_worker: Any) -> str:
    """Start TensorFlow and try the sandbox; return why this worker cannot grade, or nothing.

    What a grading left here that was killed, and runs nothing any more, is ended first. Dask
    fills in ``dask_worker``.
    """
    return await asyncio.to_thread(_try_out, settings, dask_worker)  # its loop answers meanwhile


def run_notebook(
    settings: dict[str, Any], job: dict[str, Any], data: bytes, seeds: dict[str, int]
) -> bytes:
    """Run one notebook; return how it ended and what was observed, as JSON.

    It is text alone, so that whoever reads it runs nothing that came from a notebook.
    """
    from distributed import get_worker

    observed, worker = _Observed(seeds), get_worker()
    try:
        with _server(settings, worker) as server:
            run = server.run(job, data, observed)
    except ServerFailed as error:
        return json.dumps({"refused": str(error), "worker": worker.address}).encode()
    try:
        ending = json.dumps(vars(run))
    except (RecursionError, ValueError):  # a cell's error that no notebook of ours reports
        run.cell_errors = dict.fromkeys(run.cell_errors, {})
        ending = json.dumps(vars(run))
    return f'{{"run": {ending}, "observed": {json.dumps(observed.texts)}}}'.encode("ascii")


async def end_grading(name: str) -> None:
    """End what this worker started for a grading, and the notebooks that still run."""
    await asyncio.to_thread(_end, name)


class _Observed:
    """Gives out the seeds that the grader sent, and keeps what came back, unread."""

    def __init__(self, seeds: dict[str, int]):
        self._seeds = seeds
        self.texts: list[tuple[str, str]] = []

    def seed(self, exercise_id: str) -> int:
        """Return the seed of an exercise."""
        return self._seeds[exercise_id]

    def take(self, exercise_id: str, seed: int, observation: Any) -> None:
        """Keep an observation; as nothing, where it is nested too deeply to be written."""
        try:
            text = json.dumps(observation)
        except (RecursionError, ValueError):
            text = "{}"
        self.texts.append((exercise_id, text))


def _try_out(settings: dict[str, Any], worker: Any) -> str:
    with _lock:
        left = [name for name, warm in _warm.items() if not warm.running]
    for name in left:
        _end(name)
    try:
        with _server(settings, worker):
            return ""
    except ServerFailed as error:
        return str(error)


@contextmanager
def _server(settings: dict[str, Any], worker: Any) -> Iterator[ForkServer]:
    """Lend the server of a grading, started on first use; refuse where this worker is another."""
    with _lock:
        warm = _warm.get(settings["name"]) or _start(settings, worker)
        warm.running += 1
    try:
        yield warm.server
    finally:
        with _lock:
            warm.running -= 1


def _start(settings: dict[str, Any], worker: Any) -> _Warm:
    here = package_versions() | data_versions()
    for what in sorted(here.keys() | settings["versions"].keys()):
        ours, wanted = here.get(what, "none"), settings["versions"].get(what, "none")
        if ours != wanted:
            raise ServerFailed(f"Its {what} is {ours}, but the grader's is {wanted}.")
    # Dask removes its folder, also that of a worker which was killed.
    folder = Path(tempfile.mkdtemp(prefix="course-", dir=worker.local_directory))
    hidden = [*map(Path, settings["hidden"]), *private_folders(), *checkout_folders()]
    server = ForkServer(folder, Limits(**settings["limits"]), data_folders(), hidden)
    warm = _Warm(server, folder)
    try:
        server.start()
    except BaseException:
        _close(warm)
        raise
    _warm[settings["name"]] = warm
    return warm


def _end(name: str) -> None:
    with _lock:
        warm = _warm.pop(name, None)
    if warm is not None:
        _close(warm)


def _close(warm: _Warm) -> None:
    warm.server.close()
    shutil.rmtree(warm.folder, ignore_errors=True)
