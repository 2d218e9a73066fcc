"""The fork server: a process that has imported TensorFlow once, and forks for each notebook.

TensorFlow must not be forked after its first operation, which starts threads that a fork does not
copy. So the server imports it, runs nothing, and each child starts its own.
"""

import gc
import os
import select
import socket
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path

from course_utils.tensorflow_start import importing

from .channel import Channel
from .groups import open_groups
from .limits import Limits
from .namespaces import enter_own_folders, enter_own_namespaces, enter_sandbox, readable_paths
from .supervisor import supervise

__all__ = ["main"]

_ROOT = Path(__file__).parents[3]  # of the copy that this process imports
_WARM = (
    "keras",
    "matplotlib.pyplot",
    "IPython.core.inputtransformer2",
    "IPython.display",
    "gradient_tools.checking.derivatives",
    "gradient_tools.checking.check",
    "gradient_tools.explaining",
    "gradient_tools.drawing.still",
    "gradient_tools.drawing.moving",
    "gradient_tools.recording.running",
    "course_utils.exercises",
    "course_utils.lesson_map",
    "course_utils.predicting",
    "course_utils.datasets",
    "course_utils.figures.lines",
    "course_staff.classroom.sandbox.learner",
)


def main(descriptor: int) -> None:
    """Serve until the grader closes the socket ``descriptor``.

    The first message holds the limits and what may be seen. Then each byte asks for one child, and
    brings two descriptors: the child's channel and the supervisor's.
    """
    connection = socket.socket(fileno=descriptor)
    grader = Channel(connection)
    settings = grader.receive()
    limits = Limits(**settings["limits"])
    is_sandboxed = bool(settings["sandbox"])
    groups = open_groups()
    if is_sandboxed:
        visible = readable_paths(_ROOT, map(Path, settings["visible"]))
        try:
            enter_sandbox(visible, settings["hidden"], Path(settings["sandbox"]))
            _try_a_child(limits)
        except OSError as error:
            grader.send({"ready": False, "reason": str(error)})
            return
    _import_everything()
    grader.send({"ready": True, "threads": _threads()})
    _serve(connection, limits, is_sandboxed, groups)


def _serve(
    connection: socket.socket, limits: Limits, is_sandboxed: bool, groups: int | None
) -> None:
    while True:
        # Look from time to time for children that have ended.
        ready, _, _ = select.select([connection], [], [], 1.0)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if not ready:
            continue
        message, descriptors, _, _ = socket.recv_fds(connection, 1, 2)
        if not message:
            return
        if os.fork() == 0:
            try:
                connection.close()
                learner, supervisor = descriptors
                _run_one(learner, supervisor, limits, is_sandboxed, groups)
            finally:
                os._exit(0)
        for descriptor in descriptors:
            os.close(descriptor)


def _run_one(
    channel: int, control: int, limits: Limits, is_sandboxed: bool, groups: int | None
) -> None:
    from .learner import run_learner

    learner_end = socket.socket(fileno=channel)

    def run() -> None:
        run_learner(learner_end, limits, is_sandboxed)

    supervise(socket.socket(fileno=control), limits, is_sandboxed, run, groups)


def _try_a_child(limits: Limits) -> None:
    """Raise OSError where a child would not get processes and folders of its own."""
    supervisor = os.fork()
    if supervisor == 0:
        status = 1
        try:
            enter_own_namespaces()
            child = os.fork()
            if child == 0:
                enter_own_folders(limits.disk)
            status = os.waitpid(child, 0)[1] if child else 0
        finally:
            os._exit(1 if status else 0)
    if os.waitpid(supervisor, 0)[1] != 0:
        raise OSError("namespaces inside a namespace are not allowed")


def _import_everything() -> None:
    """Import what lessons use, so that no child has to; run no operation."""
    with importing():
        import matplotlib
        import tensorflow as tf

        from course_utils.workspace.curriculum import all_exercises

        matplotlib.use("agg")
        for name in _WARM:
            import_module(name)
        all_exercises()
    gc.freeze()  # a child's collections would write to the pages that it shares with this process
    # One thread a notebook: several notebooks run at once.
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)


def _threads() -> int:
    with suppress(OSError):
        return len(os.listdir("/proc/self/task"))
    return 1


if __name__ == "__main__":
    main(int(sys.argv[1]))
    os._exit(0)  # at once: nothing here needs an orderly end
