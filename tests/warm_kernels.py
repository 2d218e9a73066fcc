"""Kernels for the notebooks under test, forked from a process that has imported TensorFlow.

A kernel of its own would spend most of its start on this import. What is forked has run no
operation, and imported no module of the course but the one that imports TensorFlow quietly.

A kernel manager starts ``python warm_kernels.py SOCKET CONNECTION_FILE`` in place of a kernel. That
process asks for a fork, and lives as long as the kernel: it hands on interrupts, and when either
ends, so does the other.
"""

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from functools import cache
from pathlib import Path


@cache
def server():
    """Start the process that is forked, once, and return the address of its socket."""
    folder = Path(tempfile.mkdtemp(prefix="course-"))
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(folder / "kernels"))
        listening.listen()
        number = listening.fileno()
        process = subprocess.Popen(
            [sys.executable, __file__, "serve", str(number)],
            pass_fds=[number],
            stdin=subprocess.DEVNULL,
        )
    atexit.register(process.kill)
    return str(folder / "kernels")


def command(connection_file):
    """Return the command that stands in for a kernel's."""
    return [sys.executable, "-SE", __file__, server(), connection_file]


def serve(number):
    """Import what every lesson imports, and fork for each connection while the parent lives.

    Keras imports Matplotlib, which looks then where a kernel lets figures go.
    """
    del sys.path[0]  # this file's folder, in which the tests of gradient_tools have its name
    from course_utils.tensorflow_start import importing

    os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
    with importing():
        import keras  # noqa: F401
        import tensorflow  # noqa: F401
        from ipykernel import kernelapp  # noqa: F401
    parent = os.getppid()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the kernels
    with socket.socket(fileno=number) as listening:
        listening.settimeout(5.0)
        while os.getppid() == parent:
            try:
                connection, _ = listening.accept()
            except TimeoutError:
                continue
            with connection:
                if os.fork() == 0:
                    listening.close()
                    be_kernel(connection)


def be_kernel(connection):
    """Become the kernel that the other end asks for."""
    connection.settimeout(None)
    message, descriptors, *_ = socket.recv_fds(connection, 1 << 20, 3)
    asked = json.loads(message)
    os.setsid()
    for standard, descriptor in enumerate(descriptors):
        os.dup2(descriptor, standard)
        os.close(descriptor)
    os.chdir(asked["folder"])
    quiet = os.environ["TF_CPP_MIN_LOG_LEVEL"]
    os.environ.clear()
    os.environ.update({"TF_CPP_MIN_LOG_LEVEL": quiet} | asked["environment"])
    os.environ.pop("JPY_PARENT_PID", None)  # this process is no child of the manager
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)

    def obey():
        while connection.recv(1):
            os.kill(os.getpid(), signal.SIGINT)
        os._exit(1)

    threading.Thread(target=obey, daemon=True).start()
    sys.argv = ["ipykernel_launcher", "-f", asked["connection_file"]]
    from ipykernel import kernelapp

    kernelapp.launch_new_instance()
    os._exit(0)


def stand_in(address, connection_file):
    """Ask for a kernel, hand interrupts on to it, and end with it."""
    with socket.socket(socket.AF_UNIX) as connection:
        signal.signal(signal.SIGINT, lambda *_: connection.send(b"i"))
        connection.connect(address)
        asked = {
            "connection_file": connection_file,
            "folder": os.getcwd(),
            "environment": dict(os.environ),
        }
        socket.send_fds(connection, [json.dumps(asked).encode()], [0, 1, 2])
        connection.recv(1)  # nothing is sent: it returns when the kernel has ended


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve(int(sys.argv[2]))
    else:
        stand_in(*sys.argv[1:])
