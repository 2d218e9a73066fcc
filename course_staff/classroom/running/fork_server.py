"""The grader's side of the fork server: starting it, and running one notebook in a child of it."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from ..sandbox.channel import BadMessage, Channel, Closed, TooLate
from ..sandbox.limits import Limits
from .conversation import Questions, Run, converse, end_of
from .public_package import write_public_package

__all__ = ["ForkServer", "Runner", "ServerFailed"]

_SECONDS_TO_START = 180.0
_NO_SANDBOX = (
    "This system does not allow namespaces ({}), so notebooks could read your files, including the "
    "solutions, and use the network. Grade on another system, or repeat the command with "
    "--no-sandbox in a virtual machine or a container that contains nothing else."
)


class ServerFailed(Exception):
    """The fork server does not start; the message says where its own words stand."""


class Runner(Protocol):
    """What runs notebooks: this machine's fork server, or a cluster."""

    def start(self, sandbox: bool = True) -> None:
        """Get ready; raise ServerFailed where that cannot be."""

    def run(self, job: dict, data: bytes, questions: Questions) -> Run:
        """Run one notebook, and put the questions to it."""

    def close(self) -> None:
        """End whatever still runs."""


class ForkServer:
    """Starts one process that imports TensorFlow, and has it fork for each notebook.

    Parameters
    ----------
    folder : Path
        A folder for the server's own files, out of every notebook's sight.
    limits : Limits
        What each notebook may use.
    visible : sequence of Path
        Files and folders that notebooks may read, such as data sets.
    hidden : sequence of Path
        Folders that notebooks must not see, wherever they are.
    """

    def __init__(
        self,
        folder: Path,
        limits: Limits,
        visible: Sequence[Path] = (),
        hidden: Sequence[Path] = (),
    ):
        # The server starts in a folder of its own, where a relative path leads elsewhere.
        self._folder, self._limits = folder.resolve(), limits
        self._visible, self._hidden = visible, hidden
        self._lock = threading.Lock()
        self._process: subprocess.Popen | None = None
        self._connection: socket.socket | None = None
        self._running: set[socket.socket] = set()
        self._is_closed = False
        self.is_sandboxed = False

    def start(self, sandbox: bool = True) -> None:
        """Start the server, in a sandbox unless ``sandbox`` is false.

        Raises
        ------
        ServerFailed
            If it does not start, or the system allows no sandbox: nothing then runs without one.
        """
        package = write_public_package(self._folder / "package")
        self._log.unlink(missing_ok=True)
        self.is_sandboxed = sandbox
        self._launch(package)

    def close(self) -> None:
        """End the server, and every notebook that still runs; their runs raise ServerFailed."""
        self._is_closed = True
        for control in list(self._running):
            with suppress(OSError):
                control.shutdown(socket.SHUT_WR)
        if self._connection is not None:
            self._connection.close()
        if self._process is not None:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=2)
            self._process.kill()
            self._process.wait()

    def __enter__(self) -> "ForkServer":
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()

    def run(self, job: dict, data: bytes, questions: Questions) -> Run:
        """Run one notebook, put the questions to it, and see to its end."""
        folder = None if self.is_sandboxed else tempfile.mkdtemp(prefix="course-")
        channel, control = self._fork()

        def tell_supervisor(what: bytes) -> None:
            with suppress(OSError):  # it has ended, and will say why
                control.send(what, socket.MSG_DONTWAIT)

        self._running.add(control)
        run = Run()
        try:
            channel.connection.settimeout(_SECONDS_TO_START)
            channel.send(job | {"folder": folder})
            channel.send_bytes(data)
            converse(channel, self._limits, questions, run, tell_supervisor)
        except Closed:
            pass  # the supervisor says why
        except TooLate:
            run.ended = "time"
        except (BadMessage, KeyError, OverflowError, TypeError, ValueError):
            run.ended = "nonsense"
        finally:
            ending = end_of(control)
            self._running.discard(control)
            channel.close()
            if folder is not None:
                shutil.rmtree(folder, ignore_errors=True)
        if self._is_closed:
            raise ServerFailed("The server was closed.")
        run.ended = run.ended or ending
        return run

    def _fork(self) -> tuple[Channel, socket.socket]:
        """Ask for a child; start the server again where the system has killed it."""
        if self._is_closed:
            raise ServerFailed("The server was closed.")
        for attempt in range(2):
            ours, theirs = socket.socketpair()
            control, far_control = socket.socketpair()
            try:
                with self._lock:
                    if self._connection is None:
                        raise ServerFailed("The server was not started.")
                    descriptors = [theirs.fileno(), far_control.fileno()]
                    socket.send_fds(self._connection, [b"+"], descriptors)
                return Channel(ours), control
            except OSError:
                ours.close()
                control.close()
                with self._lock:
                    if attempt:
                        raise ServerFailed(
                            "The server that runs notebooks has stopped unexpectedly. See "
                            f"{self._log}."
                        ) from None
                    self._launch(self._folder / "package")
            finally:
                theirs.close()
                far_control.close()
        raise AssertionError("unreachable")

    @property
    def _log(self) -> Path:
        return self._folder / "server.log"

    def _launch(self, package: Path) -> None:
        """Start the process, and return when it is ready."""
        root = self._folder / "sandbox"
        root.mkdir(exist_ok=True)
        ours, theirs = socket.socketpair()
        command = [sys.executable, "-m", "course_staff.classroom.sandbox.server"]
        with open(self._log, "ab") as log:
            self._process = subprocess.Popen(
                [*command, str(theirs.fileno())],
                cwd=package,
                env=_environment(package),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=[theirs.fileno()],
                start_new_session=True,  # Ctrl-C is for the grader, which then ends the server
            )
        theirs.close()
        settings = {
            "limits": self._limits.as_dict(),
            "sandbox": str(root) if self.is_sandboxed else "",
            "visible": [str(path) for path in self._visible],
            "hidden": [str(path) for path in self._hidden],
        }
        try:
            Channel(ours).send(settings)
            answer = Channel(ours).receive(_SECONDS_TO_START)
        except (Closed, TooLate, BadMessage):
            answer = None
        if answer is None or not answer["ready"]:
            ours.close()
            raise ServerFailed(
                _NO_SANDBOX.format(answer["reason"])
                if answer
                else f"The process that runs notebooks did not start; see {self._log}."
            )
        self._connection = ours
        self.threads = answer["threads"]


def _environment(package: Path) -> dict[str, str]:
    """Return the server's environment: this copy first, one thread, no GPU, fixed hashes.

    It has no oneDNN, which looks through all kernels of TensorFlow for 1.5 ms when an operation
    first runs: a fifth of what a short notebook takes. Convolutions take up to a fifth longer.
    """
    kept = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    one_thread = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    kept_names = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "TZ", "HOME")
    # Notebooks run in a folder of their own and call it their home.
    data = {"KERAS_HOME": "~/.keras"}
    data |= {n: os.environ[n] for n in ("COURSE_DATA_DIR", "KERAS_HOME") if os.environ.get(n)}
    return {
        **{name: os.environ[name] for name in kept_names if name in os.environ},
        **{name: str(Path(folder).expanduser().resolve()) for name, folder in data.items()},
        **dict.fromkeys(one_thread, "1"),
        "PYTHONPATH": os.pathsep.join([str(package), *filter(None, kept)]),
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "CUDA_VISIBLE_DEVICES": "-1",
        "TF_CPP_MIN_LOG_LEVEL": "2",
        "TF_ENABLE_ONEDNN_OPTS": "0",
        "MPLBACKEND": "agg",
    }
