"""Grading on a Dask cluster: as on one machine, also where a worker is killed half way."""

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest
from forgeries import FORGERIES
from handed_in import RIGHT, ROOT, given, grade, notebook
from typer.testing import CliRunner

from course_staff.classroom.running import cluster as cluster_module
from course_staff.classroom.running import on_worker
from course_staff.classroom.running.cluster import Cluster
from course_staff.classroom.running.conversation import Run
from course_staff.classroom.running.fork_server import ServerFailed
from course_staff.classroom.sandbox.limits import Limits
from course_utils.cli import app
from course_utils.workspace.output_folder import claim

distributed = pytest.importorskip(
    "distributed",
    reason="needs distributed: pip install --no-deps -r locks/requirements-cluster.lock",
)

pytestmark = pytest.mark.nightly

LIMITS = Limits(cell_seconds=5.0, check_seconds=3.0, total_seconds=20.0, memory=600)
OFF = "def slope(x):\n    return 3 * x**2 - 2 + {}"
# Slow enough that a worker can be killed while it runs one.
CLASS = {
    **{
        f"s{n}": notebook("01", RIGHT | {"01.1": OFF.format(n)}, ["import time; time.sleep(0.5)"])
        for n in range(8)
    },
    "right": notebook("01", RIGHT),
    "given": given("01"),
    "forged": FORGERIES["replaces observe"].notebook(),
    "ended": FORGERIES["ends the process"].notebook(),
    "endless": notebook("01", RIGHT | {"01.1": "def slope(x):\n    while True: pass"}),
    "damaged": b'{"cells": [',
}


@contextmanager
def started(tmp_path, *arguments, path=None, **more):
    """Start one of Dask's programs, and end it and what it started."""
    environment = os.environ | {"PYTHONPATH": str(path or ROOT)} | more
    with open(tmp_path / "log.txt", "ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "distributed.cli." + arguments[0], *map(str, arguments[1:])],
            cwd=tmp_path,
            env=environment,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scheduler")
    told = folder / "scheduler.json"
    arguments = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", told)
    with started(folder, "dask_scheduler", *arguments):
        end = time.monotonic() + 60
        while not told.exists() or not told.read_text():
            assert time.monotonic() < end, (folder / "log.txt").read_text()
            time.sleep(0.1)
        yield json.loads(told.read_text())["address"]


def worker(tmp_path, scheduler, **more):
    arguments = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", tmp_path)
    return started(tmp_path, "dask_worker", scheduler, *arguments, **more)


@pytest.fixture(scope="module")
def submissions(tmp_path_factory):
    folder = tmp_path_factory.mktemp("submitted")
    for number, (student, data) in enumerate(CLASS.items()):
        (folder / student).mkdir()
        (folder / student / "01_first_tape.ipynb").write_bytes(data)
        os.utime(folder / student / "01_first_tape.ipynb", (number + 1_000_000,) * 2)
    return folder


@pytest.fixture(scope="module")
def alone(submissions, tmp_path_factory):
    """Grade on this machine alone."""
    out = tmp_path_factory.mktemp("alone") / "results"
    grade(submissions, out, jobs=2, limits=LIMITS)
    return out


def with_the_key_of(other, out):
    """Draw the same inputs in both, so that even the numbers in messages can be compared."""
    claim(out, "course grade")
    (out / ".grading").mkdir()
    shutil.copy(other / ".grading" / "key", out / ".grading" / "key")
    return out


def test_with_a_worker_killed_half_way_the_results_are_those_of_one_machine(
    scheduler, submissions, alone, tmp_path
):
    out = with_the_key_of(alone, tmp_path / "results")
    done = []
    with worker(tmp_path, scheduler) as first, worker(tmp_path, scheduler):
        wait_for_workers(scheduler, 2)

        class KillOne:
            def begin(self, found, to_run):
                pass

            def advance(self):
                done.append(1)
                if len(done) == 3:
                    first.kill()

        grading = grade(
            submissions,
            out,
            limits=LIMITS,
            scheduler=scheduler,
            watcher=KillOne(),
        )
        assert first.wait(10) == -signal.SIGKILL
    assert not grading.accidents and len(done) == len(CLASS)
    for name in ("gradebook.csv", "results.jsonl", "class.html"):
        assert (out / name).read_bytes() == (alone / name).read_bytes(), name


def wait_for_workers(scheduler, count):
    with distributed.Client(scheduler, set_as_default=False) as client:
        client.wait_for_workers(count, timeout=60)


def test_a_cluster_goes_on_with_what_this_machine_began(alone, submissions, tmp_path):
    out = tmp_path / "results"
    shutil.copytree(alone, out)
    grading = grade(submissions, out, limits=LIMITS, scheduler="tcp://127.0.0.1:9")
    assert grading.run == 0 and grading.kept == len(CLASS) - 1


# What is refused ----------------------------------------------------------------------------------


def test_without_a_scheduler_there_it_says_so_within_seconds(monkeypatch):
    monkeypatch.setattr(cluster_module, "_SECONDS_TO_CONNECT", 1.0)
    with pytest.raises(ServerFailed, match="No Dask scheduler answers at tcp://127.0.0.1:9 "):
        Cluster("tcp://127.0.0.1:9", LIMITS, []).start()
    with pytest.raises(ServerFailed, match="No Dask scheduler answers at no address "):
        Cluster("no address", LIMITS, []).start()


def test_without_a_worker_it_says_so(scheduler, monkeypatch):
    monkeypatch.setattr(cluster_module, "_SECONDS_WITHOUT_WORKERS", 1.0)
    cluster = Cluster(scheduler, LIMITS, [])
    try:
        with pytest.raises(ServerFailed, match="has had no worker for 1 seconds. Start some with"):
            cluster.start()
    finally:
        cluster.close()


def refused(scheduler):
    """Return what is said of the worker that is there."""
    cluster = Cluster(scheduler, LIMITS, [])
    wait_for_workers(scheduler, 1)
    try:
        with pytest.raises(ServerFailed) as error:
            cluster.start()
        return str(error.value)
    finally:
        cluster.close()


def copy_of_the_course(folder):
    for part in ("gradient_tools", "course_utils", "course_staff", "lessons", "generated"):
        shutil.copytree(ROOT / part, folder / part)
    return folder


def test_a_worker_with_another_version_of_the_course_is_refused(scheduler, tmp_path):
    other = copy_of_the_course(tmp_path / "other")
    with open(other / "course_utils" / "checking.py", "a") as module:
        module.write("# newer\n")
    with worker(tmp_path, scheduler, path=other):
        said = refused(scheduler)
    assert "Its copy of the course is not the grader's: " in said and "127.0.0.1" in said


def test_a_worker_without_the_course_is_refused(scheduler, tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "course_staff.py").touch()  # in place of the package
    with worker(tmp_path, scheduler, path=tmp_path / "other"):
        said = refused(scheduler)
    assert "does not hold this version of the course" in said and "ModuleNotFoundError" in said


def test_a_worker_with_other_data_sets_is_refused(scheduler, tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "mnist.npz").write_bytes(b"other digits")
    with worker(tmp_path, scheduler, COURSE_DATA_DIR=str(tmp_path / "data")):
        said = refused(scheduler)
    assert "Its mnist.npz is not the grader's: " in said


def test_a_worker_whose_sandbox_does_not_work_is_refused(monkeypatch, tmp_path):
    class Worker:
        local_directory, address = str(tmp_path), "tcp://10.0.0.8:1"

    def start(self):
        raise ServerFailed("This system allows no namespaces (unshare: refused).")

    monkeypatch.setattr(distributed, "get_worker", Worker)
    monkeypatch.setattr(on_worker.ForkServer, "start", start)
    settings = on_worker.grading_settings("a grading", LIMITS, [])
    said = asyncio.run(on_worker.try_out(settings, Worker()))
    assert said == "This system allows no namespaces (unshare: refused)."
    assert not list(tmp_path.iterdir()) and not on_worker._warm
    reply = on_worker.run_notebook(settings, {}, b"", {})
    with pytest.raises(ServerFailed, match="10.0.0.8:1 cannot grade. This system allows no"):
        cluster_module._judged(reply, {}, Judge())


def test_a_cluster_takes_no_notebook_without_a_sandbox(submissions, tmp_path):
    program = ["grade", submissions, "--out", tmp_path / "out", "--no-sandbox"]
    result = CliRunner().invoke(app, [*map(str, program), "--scheduler", "tcp://127.0.0.1:9"])
    assert result.exit_code == 2 and "could command the whole cluster" in result.output


# What comes back ----------------------------------------------------------------------------------


class Judge:
    def __init__(self):
        self.taken = []

    def take(self, exercise_id, seed, observation):
        self.taken.append((exercise_id, seed, observation))


def test_what_a_worker_sends_is_judged_as_if_it_ran_here():
    judge = Judge()
    ran = Run("signal 9", pending="01.2", cell=3)
    reply = json.dumps({"run": vars(ran), "observed": [("01.1", "[1, NaN]"), ("01.1", "null")]})
    assert cluster_module._judged(reply.encode(), {"01.1": 7}, judge) == ran
    assert [(i, seed) for i, seed, _ in judge.taken] == [("01.1", 7)] * 2
    assert judge.taken[1][2] is None and judge.taken[0][2][0] == 1


@pytest.mark.parametrize(
    "reply",
    [
        b"",
        b"[]",
        b"{}",
        b"\xff",
        b"[" * 100_000,
        None,
        7,
        object(),
        b'{"run": {}, "observed": []}',
        b'{"run": {"ended": "", "message": "", "cell": 1e400, "pending": null}, "observed": []}',
        b'{"run": {"ended": "done", "message": "", "cell": 0, "pending": null, "cell_errors": {}},'
        b' "observed": [["09.9", "{}"]]}',
        b'{"run": {"ended": "done", "message": "", "cell": 0, "pending": null, "cell_errors": 3},'
        b' "observed": []}',
    ],
    ids=range(12),
)
def test_what_makes_no_sense_is_nonsense_and_stops_nothing(reply):
    assert cluster_module._judged(reply, {"01.1": 7}, Judge()).ended == "nonsense"


def test_what_is_nested_too_deeply_to_send_is_sent_as_nothing():
    deep = []
    for _ in range(100_000):
        deep = [deep]
    observed = on_worker._Observed({"01.1": 7})
    observed.take("01.1", 7, deep)
    assert observed.texts == [("01.1", "{}")]
