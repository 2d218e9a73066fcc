"""Figures are drawn without a window, and two workers share the tests file by file.

The answers to the exercises are one file and much of the work, so they are shared lesson by lesson,
and last: many small parts keep both workers busy to the end.
"""

import gc
import os
import re
import shutil
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import matplotlib
import pytest
from xdist.scheduler import LoadScopeScheduling

ANSWERS = "test_answers_of_lessons.py"
collect_ignore = ["stable"]  # samples of files: a lesson that is imported there starts one

matplotlib.use("agg")
gc.disable()

CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


class ByFileAndLesson(LoadScopeScheduling):
    """Keeps a file's tests on one worker, where they share what it started."""

    def _split_scope(self, nodeid):
        path, _, test = nodeid.partition("::")
        lesson = re.search(r"\[(\d\d)", test)
        return path + lesson[1] if lesson and path.endswith(ANSWERS) else path


# The marks of `--dist loadgroup` reach no worker with pytest 9.2 and pytest-xdist 3.8.
def pytest_xdist_make_scheduler(config, log):
    config.option.loadscopereorder = False
    return ByFileAndLesson(config, log)


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: item.path.name == ANSWERS)
    gc.enable()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def one_process_for_the_right_programs():
    """Let gradings share one process for them: each would import TensorFlow anew."""
    from course_staff.classroom.judging.secret_references import References
    from course_utils.tensorflow_start import quiet_tensorflow

    pool = ProcessPoolExecutor(1, get_context("spawn"), quiet_tensorflow)

    def submit(references, function, *arguments):
        return pool.submit(function, references._lessons, *arguments)

    with pool, pytest.MonkeyPatch.context() as patched:
        patched.setattr(References, "_submit", submit)
        yield


@pytest.fixture(scope="session")
def warm_server(tmp_path_factory):
    from course_staff.classroom.running.fork_server import ForkServer
    from course_staff.classroom.sandbox.limits import Limits

    limits = Limits(cell_seconds=5.0, check_seconds=3.0, total_seconds=20.0, memory=600)
    with ForkServer(tmp_path_factory.mktemp("server"), limits) as server:
        server.start()
        yield server


@pytest.fixture(scope="module")
def one_server(warm_server):
    """Let the gradings of a module share one server: each of its own would import TensorFlow."""
    kind, run = type(warm_server), type(warm_server).run
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(kind, "start", lambda self, *jail: None)
        patched.setattr(kind, "run", lambda self, *arguments: run(warm_server, *arguments))
        patched.setattr(kind, "close", lambda self: None)
        yield


def missing(what):
    """Skip where a part is missing; fail where the tests were asked for by their own target."""
    give_up = pytest.fail if os.environ.get("COURSE_BROWSER") == "required" else pytest.skip
    give_up(what)


@pytest.fixture(scope="session")
def browser():
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing(
            "The tests in a browser need Playwright: run `make browser-test` or `make site-test`."
        )
    path = next(filter(None, map(shutil.which, CHROMIUMS)), None)
    if path is None:
        missing(
            "The tests in a browser need Chromium: install Debian's package `chromium`, "
            "`apt-get install chromium`."
        )
    with sync_playwright() as playwright:
        # Without its sandbox, because that does not start for root, as in a container.
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()
