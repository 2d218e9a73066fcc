"""The process of one notebook: it runs the learner's code and reports what the answers did.

Whatever runs here shares the process with the learner's code, which may change all of it. So
nothing in here is believed: what this process sends are answers to questions that only the grader
can ask, and only the grader can judge.
"""

import json
import os
import random
import socket
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from .answers import TOO_LARGE, Answers
from .cells import Kernel, NotANotebook, read_cells
from .channel import LARGEST_MESSAGE, Channel
from .limits import Clock, Limits, restrict_this_process
from .namespaces import enter_own_folders
from .needed import needed_cells
from .supervisor import SECONDS_BETWEEN_LOOKS

__all__ = ["run_learner"]

_SEED = 20


def run_learner(connection: socket.socket, limits: Limits, is_sandboxed: bool) -> None:
    """Receive a notebook, run it, answer for its exercises, and end the process."""
    os.setsid()
    channel = Channel(connection, largest=(limits.notebook + 1) << 20)
    job = channel.receive()
    data = channel.receive_bytes()
    folder = enter_own_folders(limits.disk) if is_sandboxed else Path(job["folder"])
    restrict_this_process(limits)
    _settle(folder, connection.fileno())
    try:
        cells = needed_cells(read_cells(data), job["shown"])
    except NotANotebook as error:
        channel.send({"unreadable": str(error)})
        os._exit(0)
    del data
    _run(cells, job, channel, limits)
    # Without the exit handlers that the learner's code may have left.
    os._exit(0)


def _run(cells: list, job: dict, channel: Channel, limits: Limits) -> None:
    from course_utils.exercises.exercise import stubs
    from course_utils.workspace.curriculum import find_lesson

    def ask(exercise_id: str) -> int:
        channel.send({"ask": exercise_id})
        with clock.stopped():
            return int(channel.receive()["seed"])

    def tell(exercise_id: str, observation: Any) -> None:
        message = {"observed": exercise_id, "observation": observation}
        try:
            if len(json.dumps(message)) > LARGEST_MESSAGE:
                raise ValueError
        except (ValueError, TypeError, RecursionError, MemoryError):
            message["observation"] = {"broken": TOO_LARGE}
        channel.send(message)

    clock = Clock()
    exercises = {e.id: e for e in find_lesson(job["lesson"]).exercises()}
    chosen = {i: e for i, e in exercises.items() if i not in job["without"]}
    answers = Answers(chosen, stubs(), ask, tell, limits.check_seconds, clock)
    _replace_check(answers)
    kernel = Kernel(limits.cell_seconds, clock)
    for cell in cells:
        channel.send({"cell": cell.number})
        error = kernel.run(cell)
        if error is not None and error.type == "MemoryError":
            time.sleep(3 * SECONDS_BETWEEN_LOOKS)  # the supervisor stops what still holds too much
        answers.after_cell(cell, error)
    channel.send({"cell": 0})
    answers.finish(kernel.namespace)
    errors = {i: asdict(error) for i, error in answers.cell_errors.items()}
    channel.send({"done": errors})


def _settle(folder: Path, connection: int) -> None:
    """Make the folder this process's home, close every other descriptor, and seed generators."""
    import numpy as np

    home = folder / "home"
    home.mkdir(exist_ok=True)
    os.chdir(home)
    os.environ.update(
        HOME=str(home),
        TMPDIR=str(folder),
        MPLCONFIGDIR=str(home),
        COURSE_PROGRESS_FILE=str(home / "progress.json"),
    )
    tempfile.tempdir = str(folder)
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)
    os.closerange(3, connection)
    with suppress(OSError):
        os.closerange(connection + 1, 4096)
    sys.stdin, sys.stdout, sys.stderr = (
        open(os.devnull, mode, encoding="utf-8") for mode in ("r", "w", "w")
    )
    random.seed(_SEED)
    np.random.seed(_SEED)


def _replace_check(answers: Answers) -> None:
    """Put the observing check where notebooks import it from; no progress file is written."""
    import course_utils
    from course_utils import checking

    for module in (course_utils, checking):
        module.check = answers.check  # type: ignore[attr-defined]
