"""The grader's side of a Dask cluster: it stands in for the fork server of this machine.

Notebooks run on the cluster's workers. Everything else stays here: the submissions, the solutions,
the journal, and the judge, which believes what comes back no more than what a child here says.
"""

import json
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

from course_utils.workspace.curriculum import find_lesson

from ..sandbox.limits import Limits
from .conversation import Questions, Run
from .fork_server import ServerFailed
from .on_worker import end_grading, grading_settings, run_notebook, try_out

__all__ = ["Cluster"]

_SECONDS_TO_CONNECT = 10.0
_SECONDS_WITHOUT_WORKERS = 60.0
_BETWEEN_LOOKS = 2.0
_KEPT = "What was graded is kept. Run the same command again to grade the rest."


class Cluster:
    """Has the workers of a Dask cluster run notebooks, each in a sandbox of its own.

    A notebook whose worker is lost runs on another one.

    Parameters
    ----------
    address : str
        Where the scheduler listens, such as ``tcp://10.0.0.7:8786``.
    limits : Limits
        What each notebook may use.
    hidden : list of Path
        Folders that notebooks must not see, should a worker share this machine's files.
    """

    def __init__(self, address: str, limits: Limits, hidden: list[Path]):
        self._address = address
        self._settings = grading_settings(uuid4().hex, limits, hidden)
        self._client: Any = None

    def start(self, sandbox: bool = True) -> None:
        """Connect, and have every worker start TensorFlow and try its sandbox.

        Raises
        ------
        ServerFailed
            If no scheduler answers, there is no worker, or one of them cannot grade as this
            machine would. Nothing runs on a cluster without a sandbox.
        """
        from distributed import Client

        if not sandbox:
            raise ValueError("without a sandbox, a notebook could control the whole cluster")
        try:
            self._client = Client(self._address, timeout=_SECONDS_TO_CONNECT, set_as_default=False)
        except (OSError, ValueError) as error:
            raise ServerFailed(
                f"No Dask scheduler answers at {self._address} ({_first_line(error)}). Start one "
                "with `dask scheduler`, and use the address that it prints, such as "
                "tcp://10.0.0.7:8786."
            ) from None
        try:
            self._client.wait_for_workers(1, timeout=_SECONDS_WITHOUT_WORKERS)
        except Exception:  # Dask's own kind of a timeout changes with its versions
            raise ServerFailed(self._without_workers()) from None
        replies = self._client.run(try_out, self._settings, on_error="return")
        for worker, reply in sorted(replies.items()):
            if reply != "":
                raise ServerFailed(_refusal(worker, reply))

    @property
    def jobs(self) -> int:
        """How many notebooks to hand out at once: for each thread one that runs, and the next."""
        return max(2, 2 * sum(self._client.nthreads().values()))

    def run(self, job: dict, data: bytes, questions: Questions) -> Run:
        """Have one notebook run on some worker, and put what it did to the judge."""
        seeds = {e.id: questions.seed(e.id) for e in find_lesson(job["lesson"]).exercises()}
        client = self._client
        if client is None:
            raise ServerFailed("The grading was stopped.")
        arguments = (self._settings, job, data, seeds)
        future = client.submit(run_notebook, *arguments, key=f"notebook-{uuid4().hex}")
        return _judged(self._reply(client, future), seeds, questions)

    def close(self) -> None:
        """End what runs for this grading on every worker, and leave the cluster as it was."""
        client, self._client = self._client, None
        if client is not None:
            with suppress(Exception):  # a cluster that is gone has nothing to end
                client.run(end_grading, self._settings["name"], on_error="ignore")
            with suppress(Exception):
                client.close(timeout=_SECONDS_TO_CONNECT)

    def _reply(self, client: Any, future: Any) -> Any:
        """Wait for what a worker sends, for as long as there are workers that may send it."""
        is_done = threading.Event()
        future.add_done_callback(lambda future: is_done.set())
        seen = time.monotonic()
        while not is_done.wait(_BETWEEN_LOOKS):
            if self._client is None:
                raise ServerFailed("The grading was stopped.")
            if client.status != "running":
                break
            now = time.monotonic()
            seen = now if client.scheduler_info()["workers"] else seen
            if now - seen > _SECONDS_WITHOUT_WORKERS:
                raise ServerFailed(f"{self._without_workers()} {_KEPT}")
        if future.status == "finished":
            return future.result()
        if future.status != "error":
            raise ServerFailed(
                f"The connection to the Dask scheduler at {self._address} was lost. {_KEPT}"
            )
        error = future.exception()
        if isinstance(error, (ImportError, AttributeError)):
            raise ServerFailed(f"{_refusal('Some worker', error)} {_KEPT}")
        raise error  # such as when every worker died that ran this notebook

    def _without_workers(self) -> str:
        return (
            f"The scheduler at {self._address} has had no worker for "
            f"{_SECONDS_WITHOUT_WORKERS:.0f} seconds. Start at least one with `dask worker "
            f"{self._address}`, in an environment where this course is installed."
        )


def _judged(reply: Any, seeds: dict[str, int], questions: Questions) -> Run:
    """Put the observations to the judge, as if the notebook ran here; return how it ended."""
    run = Run()
    try:
        content = json.loads(reply)
        if "refused" in content:
            raise ServerFailed(f"{_refusal(content['worker'], content['refused'])} {_KEPT}")
        run.ended, run.message = str(content["run"]["ended"]), str(content["run"]["message"])
        run.cell, run.pending = int(content["run"]["cell"]), content["run"]["pending"]
        for exercise_id, text in content["observed"]:
            questions.take(exercise_id, seeds[exercise_id], json.loads(text))
        run.cell_errors = dict(content["run"]["cell_errors"])
    except (KeyError, OverflowError, RecursionError, TypeError, ValueError):
        run.ended = "nonsense"
    return run


def _refusal(worker: str, why: object) -> str:
    if isinstance(why, BaseException):
        why = (
            "This version of the course, with its `cluster` extra, is not installed there "
            f"({type(why).__name__}: {_first_line(why)})."
        )
    return f"{worker} cannot grade. {why} Fix this worker or stop it."


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or ["no reason given"])[0]
