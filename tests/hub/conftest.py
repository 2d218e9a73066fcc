"""A JupyterHub on this machine, with accounts that are made for it and removed afterwards."""

import grp
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from browser.notebook_page import NotebookPage

ROOT = Path(__file__).parents[2]
KEPT = ROOT / "build" / "hub"
STUDENTS, TEACHER, TEACHERS = ("course-ada", "course-bob"), "course-prof", "course-teachers"
PACKAGES = ("course_staff", "course_utils", "gradient_tools")
PASSWORD = "for the test"
OVERRIDES = """
load_subconfig({example!r})
c.Spawner.cmd = [{python!r}, *c.Spawner.cmd[1:]]  # which every account may run
c.Spawner.poll_interval = 2
c.ConfigurableHTTPProxy.command = [{proxy!r}]
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{api}"
c.JupyterHub.bind_url = "http://127.0.0.1:{port}"
c.JupyterHub.hub_port = {hub}
c.JupyterHub.cookie_secret_file = {folder!r} + "/secret"
c.JupyterHub.db_url = "sqlite:///" + {folder!r} + "/hub.sqlite"
"""


def run(*words, statuses=(0,), **options):
    """Run a command, and return what it writes; what fails is shown."""
    done = subprocess.run(
        list(map(str, words)),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        **options,
    )
    assert done.returncode in statuses, done.stdout
    return done.stdout


@contextmanager
def accounts(homes):
    """Make the accounts, each with a home that is closed to the others, and remove them."""
    names = (*STUDENTS, TEACHER)
    there = {entry.pw_name for entry in pwd.getpwall()} & {*names}
    assert not there, f"Accounts named {there} are there already; remove them first."
    try:
        run("groupadd", TEACHERS)
        for name in names:
            group = ["--groups", TEACHERS] if name == TEACHER else []
            home = ["--create-home", "--home-dir", homes / name, "--key", "HOME_MODE=0700"]
            run("useradd", *home, *group, "--shell", "/bin/sh", name)
        yield
    finally:
        for name in names:
            with suppress(KeyError):
                end_processes_of(name)
            subprocess.run(["userdel", name], stderr=subprocess.DEVNULL)
        subprocess.run(["groupdel", TEACHERS], stderr=subprocess.DEVNULL)


def end_processes_of(name):
    """End, at once and without a word, what runs under an account of the test; return how many."""
    uid, ended = pwd.getpwnam(name).pw_uid, 0
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if process.stat().st_uid == uid:
                os.kill(int(process.name), signal.SIGKILL)
                ended += 1
    return ended


def is_for_all(python):
    """Tell whether this Python is of the version that runs here, and students may run it."""
    ask = f"import sys; sys.exit(sys.version_info[:2] != {sys.version_info[:2]})"
    with suppress(OSError):
        return subprocess.run([python, "-c", ask], user=STUDENTS[0], cwd="/").returncode == 0
    return False


def python_for_all(folder):
    """Return a Python that every account may run, with the packages of this environment."""
    bases = (f"{sys.base_prefix}/bin/python3", "/usr/bin/python3")
    base = next(filter(is_for_all, bases), None)
    assert base, f"Not every account here may run a Python of this version: {', '.join(bases)}"
    run(base, "-m", "venv", "--without-pip", folder)
    (own,) = folder.glob("lib/python*/site-packages")
    (packages,) = Path(sys.prefix).glob("lib/python*/site-packages")
    (own / "packages.pth").write_text(f"{packages}\n")
    for name in ("share", "etc"):
        (folder / name).symlink_to(Path(sys.prefix) / name)
    python = folder / "bin" / "python"
    return python, packages


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class Hub:
    """The hub, the release that its students use, the teacher's checkout and the drop box."""

    students = STUDENTS
    end_processes_of = staticmethod(end_processes_of)

    def __init__(self, folder):
        self.homes, self.box = folder / "homes", folder / "handed_in"
        self.results = self.homes / TEACHER / "results"
        self.python, packages = python_for_all(folder / "python")
        run(sys.executable, "-m", "course_utils", "release", folder / "release.zip", cwd=ROOT)
        shutil.unpack_archive(folder / "release.zip", folder)
        self.release = folder / "release"
        pip = [sys.executable, "-m", "pip", "--python", self.python, "install", "--quiet"]
        run(*pip, "--no-deps", "--no-build-isolation", "--editable", self.release)
        self.checkout = folder / "checkout"
        for name in (*PACKAGES, "lessons", "generated", "notebooks", "solutions"):
            shutil.copytree(ROOT / name, self.checkout / name)
        self.of_checkout = {"PYTHONPATH": f"{self.checkout}{os.pathsep}{packages}"}
        self.checkout.chmod(0o750)
        os.chown(self.checkout, 0, grp.getgrnam(TEACHERS).gr_gid)
        self.box.mkdir()
        os.chown(self.box, pwd.getpwnam(TEACHER).pw_uid, grp.getgrnam(TEACHERS).gr_gid)
        self.box.chmod(0o3773)
        port, api, hub = free_ports(3)
        self.address = f"http://127.0.0.1:{port}"
        proxy = Path(sys.prefix) / "proxy" / "node_modules" / ".bin" / "configurable-http-proxy"
        private = folder / "private"
        private.mkdir(mode=0o700)
        config = private / "config.py"
        example = str(ROOT / "examples" / "jupyterhub_config.py")
        paths = {"example": example, "python": str(self.python), "proxy": str(proxy)}
        ports = {"port": port, "api": api, "hub": hub}
        config.write_text(
            "c = get_config()\n" + OVERRIDES.format(**paths, **ports, folder=str(private))
        )
        KEPT.mkdir(parents=True, exist_ok=True)
        mine = {k: v for k, v in os.environ.items() if not k.startswith(("JUPYTER", "COURSE_"))}
        mine |= {"COURSE_HUB_PASSWORD": PASSWORD, "COURSE_DROP_BOX": str(self.box)}
        with (KEPT / "hub.log").open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "jupyterhub", "-f", config],
                cwd=private,
                env=mine,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        end = time.monotonic() + 120
        while True:
            try:
                urllib.request.urlopen(f"{self.address}/hub/api").read()
                return
            except OSError:
                ended = self.process.poll() is not None
                assert not ended and time.monotonic() < end, (KEPT / "hub.log").read_text()
                time.sleep(0.2)

    def has_noticed_the_end_of(self, name):
        """Tell whether the hub knows that a student's server is gone, and will start another."""
        return f"User {name} server stopped" in (KEPT / "hub.log").read_text()

    def as_teacher(self, *words):
        """Run a command of the checkout as the teacher, in the teacher's home."""
        home = self.homes / TEACHER
        environment = {"HOME": str(home), "PATH": os.defpath, "COURSE_DATA_DIR": ""}
        words = [self.python, "-m", "course_utils", *words]
        account = {"user": TEACHER, "group": TEACHER, "extra_groups": [TEACHERS]}
        # 1: there is something to look at, such as a name that claims another's.
        return run(*words, cwd=home, env=environment | self.of_checkout, statuses=(0, 1), **account)

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()


@pytest.fixture(scope="session")
def hub():
    if os.environ.get("COURSE_HUB") != "required":
        pytest.skip(
            "A hub makes accounts on this machine, so it is tried by `make hub-test` alone."
        )
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        pytest.fail("Only root can make accounts: run `make hub-test` as root, in a container.")
    with tempfile.TemporaryDirectory(prefix="course-hub-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "homes").mkdir()
        with accounts(folder / "homes"):
            hub = Hub(folder)
            yield hub
            hub.stop()


class Student(NotebookPage):
    """A window of a student's own, from the login on."""

    def __init__(self, page, hub, name):
        self.address = f"{hub.address}/user/{name}"  # what a page looks for in its server
        super().__init__(page, self)
        page.set_default_timeout(90_000)
        self.hub, self.name = hub, name
        self.workspace = hub.homes / name / "gradienttape"

    def log_in(self):
        self.page.goto(f"{self.hub.address}/hub/login")
        self.page.locator("#username_input").fill(self.name)
        self.page.locator("#password_input").fill(PASSWORD)
        self.page.locator("#login_submit").click()

    def type_command(self, line):
        """Run a line of the terminal in a new cell, below the first, and return what it says."""
        cell = self.add_cell_below(self.panel.locator(".jp-CodeCell").first, f"!{line}")
        return self.run(cell)


@pytest.fixture
def student(hub, browser, request):
    """Return what opens a window for a student; each is a picture in build/hub at the end."""
    opened = []

    def open_window(name):
        context = browser.new_context(viewport={"width": 1600, "height": 1000})
        opened.append(Student(context.new_page(), hub, name))
        return opened[-1]

    yield open_window
    for number, window in enumerate(opened):
        window.page.screenshot(path=KEPT / f"{number}-{window.name}.png")
        window.page.context.close()
