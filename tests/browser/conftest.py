"""JupyterLab as ``course lab`` opens it, and a browser in front of it."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from .notebook_page import NotebookPage

ROOT = Path(__file__).parents[2]
SCREENSHOTS = ROOT / "build" / "browser"

# What the server warns of, although all is well, by a fragment of the line, with the reason.
EXPECTED_IN_LOG = {
    "is not trusted": "a notebook that was never run here; what it stores is shown all the same",
    "All authentication is disabled": "the tests come without a token",
    "websocket_ping_timeout": "a default of the server's own that it then corrects",
    "GET /api/kernels?": "the server lists a kernel that is just starting, which has no time yet",
    "Got events for closed stream": "a kernel that restarts, or is ended",
    "wrote error: 'Unhandled error'": "the line before it says which",
    "ServerApp] {": "what was asked for, below such a line",
}
# The same for the browser's console.
EXPECTED_IN_CONSOLE = {
    "to activate": "a busy machine takes longer for JupyterLab's own parts",
    "Connection lost, reconnecting": "a kernel that restarts",
    "GL Driver Message": "a terminal that is drawn where no graphics card is",
    "status of 500": "an error of the server's, whose log is looked at",
}


class Lab:
    """A learner's working copy and the JupyterLab that runs in it."""

    def __init__(self, folder: Path):
        self.folder = folder
        for name in ("notebooks", "solutions"):
            shutil.copytree(ROOT / name, folder / name)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{port}"
        self._log, self._read = folder / "server.log", 0
        home = folder.with_name("home")  # of a new user, who has no settings
        home.mkdir()
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("JUPYTER", "COURSE_"))}
        environment = kept | {
            "HOME": str(home),
            "COURSE_DATA_DIR": "",  # the digits that stand in for MNIST train in seconds
            "KERAS_HOME": str(home),
            "PATH": os.defpath,
        }
        options = ["--no-browser", "--allow-root", f"--port={port}", "--IdentityProvider.token="]
        options.append("--ServerApp.disable_check_xsrf=True")  # for end_kernels
        with self._log.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "course_utils", "lab", *options],
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,  # as a service starts it, and a container
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._wait_until_it_answers()

    def _wait_until_it_answers(self):
        end = time.monotonic() + 120
        while True:
            try:
                urllib.request.urlopen(f"{self.address}/api").read()
                return
            except OSError:
                ended = self.process.poll() is not None
                assert not ended and time.monotonic() < end, self._log.read_text()
                time.sleep(0.2)

    def warnings(self):
        """Return what the server has warned of since the last call, and nobody expects."""
        log = self._log.read_text()
        lines = re.findall(r"^\[[WEC] .*$", log[self._read :], re.M)
        self._read = len(log)
        return [line for line in lines if not any(part in line for part in EXPECTED_IN_LOG)]

    def end_kernels(self):
        """End the kernels of all notebooks that were opened."""
        with urllib.request.urlopen(f"{self.address}/api/sessions") as answer:
            sessions = json.load(answer)
        for session in sessions:
            address = f"{self.address}/api/sessions/{session['id']}"
            urllib.request.urlopen(urllib.request.Request(address, method="DELETE")).close()

    def stop(self):
        self.process.terminate()  # `course lab`, which ends JupyterLab
        self.process.wait(30)


@pytest.fixture(scope="session")
def lab(browser, tmp_path_factory):
    lab = Lab(tmp_path_factory.mktemp("lab") / "copy")
    yield lab
    lab.stop()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.when == "call":
        item.stash[REPORT] = report
    return report


REPORT = pytest.StashKey()


@pytest.fixture
def notebook(request, browser, lab):
    """Return a window of 1600 x 1000; a test that fails leaves its picture in build/browser."""
    context = browser.new_context(viewport={"width": 1600, "height": 1000})
    page = context.new_page()
    complaints = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(f"{message.type}: {message.text}"))
    yield NotebookPage(page, lab)
    picture = SCREENSHOTS / f"{request.node.name}.png"
    report = request.node.stash.get(REPORT, None)
    if report is None or report.failed:
        picture.parent.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=picture)
    else:
        picture.unlink(missing_ok=True)
    context.close()
    lab.end_kernels()
    serious = [c for c in complaints if c.startswith(("error", "warning")) or ": " not in c]
    assert not [c for c in serious if not any(part in c for part in EXPECTED_IN_CONSOLE)]
    assert not lab.warnings()
