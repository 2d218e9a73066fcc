"""JupyterLab as the course opens it: at the lesson where you are, with the course's settings."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from .standing import Standing
from .workspace.atomic_files import write_atomically
from .workspace.curriculum import LESSONS, find_lesson
from .workspace.folders import Workspace, course_folder
from .workspace.progress import read_progress

__all__ = ["Lab", "lab_of", "open_lab", "run_lab"]

# Defaults, below what learners set themselves.
_SETTINGS = {
    # The question whether to fetch news lies on the text; nothing is fetched until somebody asks.
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
    # The names of the lessons need the room that this column takes.
    "@jupyterlab/filebrowser-extension:browser": {"showLastModifiedColumn": False},
    "@jupyterlab/notebook-extension:tracker": {
        # A cell that is run before its kernel is there does nothing: this says so.
        "enableKernelInitNotification": True,
        # No line, and no comment at its end, is cut off in a narrow window.
        "codeCellConfig": {"lineNumbers": False, "lineWrap": True},
    },
}

_FINISHED = "finished.html"
# By its name: what it imports takes a second, which only the server needs to wait for.
_CONTENTS = f"{__package__}.contents.CourseContents"


@dataclass(frozen=True)
class Lab:
    """How JupyterLab is opened: the folder in view, the page in front, options, environment."""

    folder: Path
    page: str
    options: list[str]
    environment: dict[str, str]


def open_lab(workspace: Workspace, options: list[str]) -> int:
    """Open JupyterLab where the learner goes on, and return its status at the end."""
    lab = lab_of(workspace)
    command = [sys.executable, "-m", "jupyterlab", f"--LabApp.default_url={lab.page}"]
    return run_lab([*command, *lab.options, *options], lab.folder, lab.environment)


def lab_of(workspace: Workspace) -> Lab:
    """Set up JupyterLab for a workspace, on a learner's machine or on a hub.

    If the workspace is in a checkout or a release, JupyterLab also shows the solutions.
    """
    folder = course_folder() if workspace.folder.is_relative_to(course_folder()) else None
    folder = folder or workspace.folder
    page = (workspace.folder / _page_to_open(workspace)).relative_to(folder).as_posix()
    options = [
        f"--ServerApp.root_dir={folder}",
        f"--ServerApp.contents_manager_class={_CONTENTS}",
    ]
    if os.name != "nt":
        # Where JupyterLab was started without a terminal, its own choice is a login shell, which
        # sets the PATH anew.
        shell = os.environ.get("SHELL") or "sh"
        options.append(f"--ServerApp.terminado_settings=shell_command={shell}")
    place = workspace.kept / "lab"
    settings = place / "labconfig" / "default_setting_overrides.json"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(json.dumps(_SETTINGS, indent=1) + "\n", encoding="utf-8")
    # In JupyterLab's terminals, `course` and `python` are those of this environment.
    first = {"PATH": Path(sys.executable).parent, "JUPYTER_CONFIG_PATH": place}
    environment = dict(os.environ)
    for name, path in first.items():
        others = filter(None, [os.environ.get(name)])
        environment[name] = os.pathsep.join([str(path), *others])
    return Lab(folder, f"/lab/tree/{page}", options, environment)


def _page_to_open(workspace: Workspace) -> str:
    """Return the file of the next exercise's lesson, or of a page at the end.

    A lesson that is not there, as in a release of a few, gives way to the first one.
    """
    standing = Standing(read_progress())
    if standing.next is None:
        write_atomically(workspace.folder / _FINISHED, standing.page())
        return _FINISHED
    path = workspace.notebook(find_lesson(standing.next.id[:2]))
    return path.name if path.exists() else workspace.notebook(LESSONS[0]).name


def run_lab(command: list[str], folder: Path, environment: dict[str, str]) -> int:
    """Run JupyterLab until it ends, and return its status; what ends this process ends it too."""
    with subprocess.Popen(command, cwd=folder, env=environment) as jupyter:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: jupyter.terminate())
        return jupyter.wait()
