"""Running notebooks: what honest ones earn, what forged ones do not, and where the limits are."""

import json
import os
import subprocess
import time
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from tempfile import mkdtemp

import pytest
from forgeries import FORGERIES, Forgery
from handed_in import RIGHT, ROOT, as_bytes, cells_of, code, given, notebook, solution

from course_staff.classroom.judging.journal import Journal
from course_staff.classroom.judging.notebook_verdicts import Examination
from course_staff.classroom.judging.secret_references import References
from course_staff.classroom.running.fork_server import ForkServer
from course_staff.classroom.sandbox.limits import Limits, seconds_of
from course_utils.workspace.curriculum import find_lesson

LIMITS = Limits(
    cell_seconds=3.0, check_seconds=2.0, total_seconds=20.0, grace=2.0, memory=600, processes=40
)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    # As where a project, with its results, stands below a folder that notebooks must see.
    root = tmp_path_factory.mktemp("server")
    root.chmod(0o755)  # as root, notebooks run as nobody
    project = root / "project"
    for name in ("results", "solutions", "data"):
        (project / name).mkdir(parents=True)
    (project / "solutions" / "01_first_tape.ipynb").write_bytes(solution("01"))
    (root / "mnist.npz").touch()
    folder = project / "results"
    with ForkServer(folder, LIMITS, visible=[root], hidden=[project]) as server:
        server.start()
        yield server


@cache
def references(key=b"key"):
    """Return what the solutions of the lessons do on inputs of these tests' own."""
    journal = Journal(Path(mkdtemp(prefix="course-")) / "journal")
    return References(ROOT / "lessons", key, journal, "version")


def examine(server, data, lesson="01", without=(), key=b"key"):
    exercises = {exercise.id: exercise for exercise in find_lesson(lesson).exercises()}
    examination = Examination(exercises, references(key))
    job = {"lesson": lesson, "without": list(without), "shown": []}
    run = server.run(job, data, examination)
    return run, examination.decide(run)


def outcomes(server, data, lesson="01"):
    _, verdicts = examine(server, data, lesson)
    return {exercise_id: verdict.outcome for exercise_id, verdict in verdicts.items()}


def test_the_server_runs_no_thread_when_it_forks(server):
    assert server.threads == 1


@pytest.mark.parametrize("lesson", ["00", "01"])
def test_the_solutions_pass_and_the_given_notebooks_are_not_attempted(server, lesson):
    assert set(outcomes(server, solution(lesson), lesson).values()) == {"passed"}
    assert set(outcomes(server, given(lesson), lesson).values()) == {"not attempted"}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_notebook_earns_nothing_and_an_honest_one_after_it_everything(server, name):
    forgery = FORGERIES[name]
    _, verdicts = examine(server, forgery.notebook(), forgery.lesson)
    assert sum(verdict.score for verdict in verdicts.values()) == 0, verdicts
    assert {verdict.outcome for verdict in verdicts.values()} <= forgery.outcomes, verdicts
    assert "passed" not in forgery.outcomes


def test_an_honest_notebook_passes_after_all_of_them(server):
    assert set(outcomes(server, notebook("01", RIGHT)).values()) == {"passed"}
    assert set(outcomes(server, notebook("00", RIGHT), "00").values()) == {"passed"}


def test_a_forger_keeps_what_was_earned(server):
    forged = notebook("01", {"01.1": RIGHT["01.1"]}, after=["import os; os._exit(0)"])
    result = outcomes(server, forged)
    assert result.pop("01.1") == "passed"
    assert set(result.values()) == {"not attempted"}


def left_behind(server):
    """Return what still runs of a notebook that starts a process and goes."""
    seconds = 100_000 + os.getpid()  # known by its time, also where tests run side by side
    data = FORGERIES["leaves handlers, threads and processes behind"].notebook()
    examine(server, data.replace(b"3061", str(seconds).encode()))
    time.sleep(0.2)
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True).stdout
    return [line for line in listed.splitlines() if f"sleep {seconds}" in line]


def test_nothing_is_left_running(server):
    assert left_behind(server) == []


def test_the_files_that_give_answers_away_are_out_of_sight(server):
    if not server.is_sandboxed:
        pytest.skip("this system allows no namespaces")
    thief = Forgery(
        "import os\n"
        "def files():\n"
        "    for top in set(os.listdir('/')) - {'proc', 'sys', 'usr', 'lib', 'lib64', 'bin'}:\n"
        "        for folder, folders, names in os.walk('/' + top):\n"
        "            folders[:] = set(folders) - {'site-packages', 'lib-dynload'}\n"
        "            yield from (os.path.join(folder, name) for name in names)\n"
        "paths = list(files())\n"
        "telling = ('01_first_tape.ipynb', 'mistakes.py', 'journal.jsonl', 'key')\n"
        "found = [p for p in paths if os.path.basename(p) in telling]\n"
        "(stored,) = [p for p in paths if os.path.basename(p) == 'lesson_01.txt']\n"
        "found += [line for line in open(stored) if line.startswith('01.')]\n"
        "assert any('lesson_01' in p for p in paths)\n"
        "assert any('mnist.npz' in p for p in paths)\n"
        "gradient_shape = (4, 2) if found else (0, 0)",
        {"01.2": "gradient_shape"},
    )
    run, verdicts = examine(server, thief.notebook())
    assert run.ended == "done" and verdicts["01.2"].outcome == "failed", verdicts


def test_there_is_no_network_and_no_other_process(server):
    if not server.is_sandboxed:
        pytest.skip("this system allows no namespaces")
    look = (
        "import os, socket\n"
        "def silent():\n"
        "    try: socket.create_connection(('127.0.0.1', %d), 1)\n"
        "    except OSError: return True\n"
        "alone = [p for p in os.listdir('/proc') if p.isdigit()] in ([], ['1'])\n"
        "steepness = 6.0 if silent() and alone and os.getpid() == 1 else 0.0"
    )
    import socket

    with socket.create_server(("127.0.0.1", 0)) as listening:
        answer = {"00.1": look % listening.getsockname()[1]}
        assert outcomes(server, notebook("00", answer), "00")["00.1"] == "passed"
        with socket.create_connection(listening.getsockname(), 1):
            pass  # the same connection succeeds from here


def test_each_notebook_has_an_empty_folder_of_its_own(server):
    write = "import os\nfree = os.listdir() == []\nopen('mine', 'w').write('x')\n"
    answer = {"00.1": write + "steepness = 6.0 if free else 0.0"}
    for _ in range(2):
        assert outcomes(server, notebook("00", answer), "00")["00.1"] == "passed"


# What counts as the answer ------------------------------------------------------------------------


def with_cells(change, answers=RIGHT):
    cells = cells_of("01", answers)
    return as_bytes(change(cells))


def is_check(cell):
    return cell["source"].startswith("check(")


def without_marks(cells):
    return [cell | {"metadata": {}, "id": f"new-{n}"} for n, cell in enumerate(cells)]


CHANGES = {
    "checks deleted": lambda cells: [c for c in cells if not is_check(c)],
    "ids and marks lost": without_marks,
    "ids and marks lost, checks deleted": lambda cells: without_marks(
        [c for c in cells if not is_check(c)]
    ),
    "checks copied to the end": lambda cells: cells + [c for c in cells if is_check(c)],
    "checks moved above": lambda cells: sorted(cells, key=lambda c: not is_check(c)),
    "checks edited": lambda cells: [
        c | {"source": c["source"].replace("check(", "chekc(")} if is_check(c) else c for c in cells
    ],
    "check redefined": lambda cells: [cells[0], code("def check(*a): print('ok')"), *cells[1:]],
    "wrong ids in the checks": lambda cells: [
        c | {"source": 'check("07.9", slope)'} if is_check(c) else c for c in cells
    ],
    "sources as lists of lines": lambda cells: [
        c | {"source": c["source"].splitlines(keepends=True)} for c in cells
    ],
    "magics and shell commands": lambda cells: [
        code("%matplotlib inline\n!rm -rf nothing\n%load_ext autoreload\nfiles = !ls"),
        code("%%bash\nexit 1"),
        *[c | {"source": "%%time\n" + c["source"]} for c in cells],
    ],
    "cells that fail": lambda cells: [x for c in cells for x in (code("1 / 0"), c, code("?!"))],
    "cells that exit": lambda cells: [x for c in cells for x in (code("raise SystemExit"), c)],
    "text, raw and broken cells": lambda cells: [
        {"cell_type": "markdown", "source": "slope = None"},
        {"cell_type": "raw", "source": "raw"},
        {"cell_type": "code"},
        "not a cell",
        None,
        *cells,
    ],
}


@pytest.mark.parametrize("name", CHANGES)
def test_right_answers_are_found_after(server, name):
    assert set(outcomes(server, with_cells(CHANGES[name])).values()) == {"passed"}


WRONG = "def slope(x):\n    return x"


@pytest.mark.parametrize(
    ("cells", "outcome"),
    [
        ([RIGHT["01.1"], WRONG], "failed"),
        ([WRONG, RIGHT["01.1"]], "passed"),
        ([RIGHT["01.1"], 'check("01.1", slope)', WRONG], "failed"),
        ([RIGHT["01.1"].replace("slope", "mine"), 'check("01.1", mine)'], "passed"),
        ([RIGHT["01.1"], "def slope(x):\n    raise NotImplementedError"], "not attempted"),
        ([RIGHT["01.1"], 'check("01.1", slope)', 'check("01.1")'], "passed"),
        (
            ["k = 3\n" + RIGHT["01.1"].replace("x**3", "x**k"), "check('01.1', slope)", "k = 0"],
            "passed",
        ),
        (
            ["def slope(x):\n    return helper(x)", RIGHT["01.1"].replace("slope", "helper")],
            "passed",
        ),
        (["slope = 25.0"], "failed"),
        (["def slope(x)\n    return 1"], "not attempted"),
        (["import math"], "not attempted"),
        ([], "not attempted"),
    ],
)
def test_the_last_answer_counts(server, cells, outcome):
    data = as_bytes([code(SETUP_LINE), *map(code, cells)])
    assert outcomes(server, data)["01.1"] == outcome


SETUP_LINE = "import tensorflow as tf\nfrom course_utils import check"


def test_an_answer_is_observed_once_however_often_it_is_checked(server):
    exercises = {exercise.id: exercise for exercise in find_lesson("01").exercises()}
    asked = []

    class Counted(Examination):
        def seed(self, exercise_id):
            asked.append(exercise_id)
            return super().seed(exercise_id)

    data = with_cells(CHANGES["checks copied to the end"])
    job = {"lesson": "01", "without": [], "shown": []}
    server.run(job, data, Counted(exercises, references()))
    assert sorted(asked) == sorted(exercises)


def test_a_renamed_answer_is_found_in_the_exercises_own_cell(server):
    answers = {"01.1": RIGHT["01.1"].replace("slope", "my_slope")}
    assert outcomes(server, notebook("01", answers, with_checks=False))["01.1"] == "passed"


def test_a_cell_that_does_not_run_is_an_error_with_its_line(server):
    _, verdicts = examine(server, notebook("01", {"01.1": "def slope(x):\n    return 3 * * x"}))
    assert verdicts["01.1"].outcome == "error"
    assert "SyntaxError at `return 3 * * x`" in verdicts["01.1"].message


def test_an_error_in_the_function_names_its_line(server):
    _, verdicts = examine(server, notebook("01", {"01.1": "def slope(x):\n    return unknown * x"}))
    assert "raised NameError at `return unknown * x`" in verdicts["01.1"].message


def test_tf_function_with_a_loop_runs_as_in_a_notebook(server):
    looped = (
        "@tf.function\ndef cube(x):\n    y = x\n    for _ in tf.range(2):\n        y = y * x\n"
        "    return y\n"
        "def slope(x):\n    x = tf.Variable(x)\n    with tf.GradientTape() as tape:\n"
        "        y = cube(1 * x) - 2 * x\n    return tape.gradient(y, x)"
    )
    assert outcomes(server, notebook("01", {"01.1": looped}))["01.1"] == "passed"


# Limits -------------------------------------------------------------------------------------------


def test_an_endless_cell_costs_only_its_own_exercise(server):
    answers = RIGHT | {"01.2": "while True: pass\ngradient_shape = (4, 2)"}
    result = outcomes(server, notebook("01", answers))
    assert result.pop("01.2") == "timeout"
    assert set(result.values()) == {"passed"}


def test_an_endless_answer_is_a_timeout(server):
    answers = RIGHT | {"01.1": "def slope(x):\n    while True: pass"}
    result = outcomes(server, notebook("01", answers))
    assert result.pop("01.1") == "timeout"
    assert set(result.values()) == {"passed"}


def test_a_notebook_that_cannot_be_interrupted_is_killed(server):
    stubborn = "import signal\nsignal.signal(signal.SIGURG, signal.SIG_IGN)\nwhile True: pass"
    cells = cells_of("01", RIGHT)
    run, verdicts = examine(server, as_bytes([*cells[:3], code(stubborn), *cells[3:]]))
    assert run.ended == "time"
    outcomes = {exercise_id: verdict.outcome for exercise_id, verdict in verdicts.items()}
    assert outcomes.pop("01.1") == "passed" and set(outcomes.values()) == {"timeout"}


def test_a_cell_that_waits_costs_only_its_own_exercise(server):
    answers = RIGHT | {"01.2": "import time; time.sleep(1e6)\ngradient_shape = (4, 2)"}
    result = outcomes(server, notebook("01", answers))
    assert result.pop("01.2") == "timeout" and set(result.values()) == {"passed"}


def test_time_in_which_the_machine_is_busy_does_not_count():
    def spin():
        os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
        while True:
            pass

    begun = time.monotonic()
    spinning = [get_context("fork").Process(target=spin) for _ in range(6)]
    try:
        for process in spinning:
            process.start()
        time.sleep(2.0)
        clock = time.monotonic() - begun
        used = [seconds_of([process.pid], begun) for process in spinning]
        assert sum(used) < 0.7 * clock * len(used) and min(used) < clock / 2
        assert seconds_of([os.getpid()], begun) > 0.5 * clock  # a wait counts
    finally:
        for process in spinning:
            process.kill()


def test_memory_that_no_limit_counts_is_refused(server):
    tried = (
        "import ctypes, mmap, os\n"
        "libc = ctypes.CDLL(None)\n"
        "def refused(f, *arguments):\n"
        "    try: return f(*arguments) == -1\n"
        "    except OSError: return True\n"
        "ways = [(os.memfd_create, 'x'), (libc.shmget, 0, 4096, 0o1600), (mmap.mmap, -1, 4096),\n"
        "        (libc.msgget, 0, 0o1600), (libc.unshare, 1 << 28), (open, '/dev/zero', 'r+b')]\n"
        "shared = mmap.mmap(-1, 1 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)\n"
        "steepness = 6.0 if all(refused(*way) for way in ways) else 0.0"
    )
    verdict = examine(server, notebook("00", {"00.1": tried}), "00")[1]["00.1"]
    assert verdict.outcome == "passed", verdict


def test_files_without_number_are_refused(server):
    tried = (
        "import os\nmade = 0\n"
        "try:\n"
        "    for made in range(40_000): os.close(os.open(f'{made}', os.O_CREAT | os.O_WRONLY))\n"
        "except OSError: pass\n"
        "steepness = 6.0 if 1_000 < made < 39_000 else 0.0"
    )
    assert outcomes(server, notebook("00", {"00.1": tried}), "00")["00.1"] == "passed"


def test_three_folders_share_one_limit(server):
    tried = (
        "import shutil\nsteepness = 6.0\n"
        "for folder in ('/scratch', '/tmp', '/dev/shm'):\n"
        "    if shutil.disk_usage(folder).total > 256 << 20: steepness = 0.0\n"
        "open('/dev/shm/large', 'wb').write(b'x' * (200 << 20))\n"
        "if shutil.disk_usage('/scratch').free > 100 << 20: steepness = 0.0"
    )
    assert outcomes(server, notebook("00", {"00.1": tried}), "00")["00.1"] == "passed"


def test_a_cell_may_await_as_in_a_notebook(server):
    awaited = "import asyncio\nawait asyncio.sleep(0)\nasync def six(): return 6.0\n"
    before = ["import asyncio\ntask = asyncio.ensure_future(asyncio.sleep(0, 6.0))"]
    answers = RIGHT | {"00.1": awaited + "steepness = await six() if True else 0"}
    assert set(outcomes(server, notebook("00", answers), "00").values()) == {"passed"}
    endless = {"00.1": "import asyncio\nawait asyncio.sleep(1e6)\nsteepness = 6.0"}
    assert outcomes(server, notebook("00", endless, before), "00")["00.1"] == "timeout"


def test_nobody_says_in_the_graders_words_that_he_is_unreadable(server):
    _, verdicts = examine(server, FORGERIES["says that it cannot be read"].notebook())
    assert not [v for v in verdicts.values() if "full points" in v.message]


def test_too_much_memory_in_one_process_is_an_error_of_its_cell(server):
    greedy = "data = bytearray(900 << 20)\n"
    _, verdicts = examine(server, notebook("01", {"01.2": greedy + "gradient_shape = (4, 2)"}))
    assert verdicts["01.2"].outcome == "error" and "MemoryError" in verdicts["01.2"].message


def test_a_notebook_that_keeps_too_much_memory_is_stopped_where_it_took_it(server):
    hog = "held = []\nwhile True:\n    held.append(bytearray(20_000_000))"
    run, verdicts = examine(server, notebook("01", RIGHT, [hog]))
    assert run.ended == "memory" and run.cell == 1
    assert {verdict.outcome for verdict in verdicts.values()} == {"crashed"}


def test_too_much_memory_in_several_processes_is_stopped(server):
    greedy = (
        "import os, time\nfor _ in range(4):\n    if os.fork() == 0:\n"
        "        data = b'x' * (300 << 20)\n        time.sleep(60)\ntime.sleep(2.5)"
    )
    run, verdicts = examine(server, notebook("01", RIGHT, before=[greedy]))
    assert run.ended == "memory"
    assert {verdict.outcome for verdict in verdicts.values()} == {"crashed"}
    assert "more memory than allowed" in verdicts["01.1"].message


def test_too_many_processes_are_stopped(server):
    bomb = (
        "import os, time\nfor _ in range(60):\n    if os.fork() == 0:\n        time.sleep(60)\n"
        "time.sleep(2)"
    )
    run, verdicts = examine(server, notebook("01", RIGHT, before=[bomb]))
    assert run.ended == "processes"
    assert "more processes than allowed" in verdicts["01.1"].message


def test_too_much_output_and_a_full_disk_hurt_nobody(server):
    flood = "print('x' * 100_000_000)\nopen('big', 'wb').write(b'x' * (400 << 20))"
    result = outcomes(server, notebook("01", RIGHT, before=[flood]))
    assert set(result.values()) == {"passed"}


def test_a_huge_answer_is_no_answer(server):
    huge = {"01.1": "def slope(x):\n    return ['x' * 1_000_000] * 100"}
    run, verdicts = examine(server, notebook("01", huge))
    assert verdicts["01.1"].outcome == "error" and run.ended == "done"


@pytest.mark.parametrize(
    ("data", "fragment"),
    [
        (b"", "is empty"),
        (b"  \n", "is empty"),
        (b'{"cells": [', "cut off, or not JSON"),
        (b"\xff\xfe\x00", "cut off, or not JSON"),
        (b"[" * 100_000, "cut off, or not JSON"),
        (b"[1, 2]", "no list of cells"),
        (b'{"cells": 3}', "no list of cells"),
        (b'{"worksheets": [{}]}', "no list of cells"),
        (b"PK\x03\x04", "cut off, or not JSON"),
    ],
)
def test_what_is_not_a_notebook_is_unreadable(server, data, fragment):
    _, verdicts = examine(server, data)
    assert {verdict.outcome for verdict in verdicts.values()} == {"unreadable"}
    assert all(fragment in verdict.message for verdict in verdicts.values())


def test_an_old_notebook_and_a_byte_order_mark_are_read(server):
    cells = [{"cell_type": "code", "input": c["source"]} for c in cells_of("01", RIGHT)]
    old = json.dumps({"worksheets": [{"cells": cells}], "nbformat": 3}).encode()
    assert set(outcomes(server, b"\xef\xbb\xbf" + old).values()) == {"passed"}


def test_another_key_draws_other_inputs(server):
    answer = RIGHT["01.1"].replace("x = tf.Variable(x)", "given, x = x, tf.Variable(x)")
    data = notebook("01", {"01.1": f"{answer} + float(given not in (3.0, -1.5, 0.5))"})
    keys = (b"a", b"a", b"b")
    first, again, other = (examine(server, data, key=key)[1]["01.1"] for key in keys)
    assert first.to_json() == again.to_json() and first.outcome == "failed"
    assert first.message != other.message


def test_checks_touch_no_progress_file(server, tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_PROGRESS_FILE", str(tmp_path / "progress.json"))
    written = "import os\nsteepness = 0.0 if os.listdir() else 6.0"
    answers = {"00.2": RIGHT["00.2"], "00.3": RIGHT["00.3"]}
    cells = [*cells_of("00", answers), code(written), code('check("00.1", steepness)')]
    assert set(outcomes(server, as_bytes(cells), "00").values()) == {"passed"}
    assert list(tmp_path.iterdir()) == []


def test_the_progress_file_stays_where_a_forger_can_only_reach_his_own(server):
    path = os.environ["COURSE_PROGRESS_FILE"]
    before = os.path.exists(path) and open(path).read()
    examine(server, FORGERIES["writes a progress file"].notebook())
    assert (os.path.exists(path) and open(path).read()) == before
