"""A sandboxed server that several gradings share, where only what came out of them is looked at."""

import pytest

from course_staff.classroom.running.fork_server import ForkServer
from course_staff.classroom.sandbox.limits import Limits


@pytest.fixture(scope="session")
def warm_server(tmp_path_factory):
    limits = Limits(cell_seconds=5.0, check_seconds=3.0, total_seconds=20.0, memory=600)
    with ForkServer(tmp_path_factory.mktemp("server"), limits) as server:
        server.start()
        yield server


@pytest.fixture(scope="module")
def one_server(warm_server):
    """Let the gradings of a module share one server: each of its own would import TensorFlow."""
    run = ForkServer.run
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ForkServer, "start", lambda self, *jail: None)
        patched.setattr(ForkServer, "run", lambda self, *arguments: run(warm_server, *arguments))
        patched.setattr(ForkServer, "close", lambda self: None)
        yield
