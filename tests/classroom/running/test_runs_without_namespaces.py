"""The same forgeries where the system allows no namespaces: what then still holds."""

from pathlib import Path

import numpy as np
import pytest
from forgeries import FORGERIES
from handed_in import RIGHT, notebook
from test_runs import LIMITS, examine, left_behind, outcomes

from course_staff.classroom.running import fork_server
from course_staff.classroom.running.fork_server import ForkServer, ServerFailed


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with ForkServer(tmp_path_factory.mktemp("server"), LIMITS) as server:
        server.start(sandbox=False)
        assert not server.is_sandboxed
        yield server


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_notebook_earns_nothing(server, name):
    forgery = FORGERIES[name]
    _, verdicts = examine(server, forgery.notebook(), forgery.lesson)
    assert sum(verdict.score for verdict in verdicts.values()) == 0, verdicts
    assert {verdict.outcome for verdict in verdicts.values()} <= forgery.outcomes, verdicts


def test_an_honest_notebook_passes(server):
    assert set(outcomes(server, notebook("01", RIGHT)).values()) == {"passed"}


def test_nothing_is_left_running(server):
    assert left_behind(server) == []


def test_too_many_processes_and_too_much_memory_are_stopped(server):
    bomb = (
        "import os, time\nfor _ in range(60):\n    if os.fork() == 0: time.sleep(60)\ntime.sleep(2)"
    )
    run, _ = examine(server, notebook("01", RIGHT, before=[bomb]))
    assert run.ended == "processes"
    greedy = (
        "import os, time\nfor _ in range(4):\n    if os.fork() == 0:\n"
        "        data = b'x' * (300 << 20)\n        time.sleep(60)\ntime.sleep(2.5)"
    )
    run, _ = examine(server, notebook("01", RIGHT, before=[greedy]))
    assert run.ended == "memory"


def test_a_sandbox_that_works_and_whose_server_fails_is_left_for_none(tmp_path):
    # As where a library that the server needs is hidden along with something else.
    with ForkServer(tmp_path, LIMITS, hidden=[Path(np.__file__).parent]) as server:
        with pytest.raises(ServerFailed, match="did not start; see .*server.log"):
            server.start()
    assert "numpy" in (tmp_path / "server.log").read_text()


def test_a_system_that_allows_no_sandbox_is_said(tmp_path, monkeypatch):
    no_sandbox = {"ready": False, "reason": "unshare: Operation not permitted"}
    monkeypatch.setattr(fork_server.Channel, "receive", lambda *_: no_sandbox)
    with ForkServer(tmp_path, LIMITS) as server:
        with pytest.raises(ServerFailed, match=r"\(unshare: .*--no-sandbox"):
            server.start()
