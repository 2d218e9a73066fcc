"""JupyterLab as the course opens it: at the lesson where you are, with settings of its own."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager
from tornado.web import HTTPError

from ..figures.in_notebooks import image_in_html
from .atomic_files import write_atomically
from .curriculum import LESSONS, find_lesson
from .progress import read_progress
from .standing import Standing
from .workspace import Workspace, course_folder

__all__ = ["CourseContents", "open_lab", "run_lab"]

# Defaults, below what learners set themselves.
_SETTINGS = {
    # The question whether to fetch news lies on the text; nothing is fetched until somebody asks.
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
    # The names of the lessons need the room that this column takes.
    "@jupyterlab/filebrowser-extension:browser": {"showLastModifiedColumn": False},
    # A cell that is run before its kernel is there does nothing: this says so.
    "@jupyterlab/notebook-extension:tracker": {"enableKernelInitNotification": True},
}

_FINISHED = "finished.html"


class CourseContents(AsyncLargeFileManager):
    """The files that JupyterLab shows; those of ``solutions`` can be run and not changed.

    JupyterLab writes the version of Python into every notebook that it opens, and saves it. It
    leaves out the words of a figure, so they come to it inside HTML, which no file stores.
    """

    async def get(self, path: str, *args, **kwargs) -> dict:
        """Return the file, marked as one that JupyterLab does not save where it is a solution."""
        model = await super().get(path, *args, **kwargs)
        for data, about in _figures(model):
            data["text/html"] = image_in_html(data["image/png"], about)
        return model | {"writable": model["writable"] and not _is_solution(path)}

    async def save(self, model: dict, path: str = "") -> dict:
        """Save the file, unless it is a solution."""
        if _is_solution(path):
            raise HTTPError(403, f"{path} is a solution and stays as it is. Save it elsewhere.")
        for data, _ in _figures(model):
            data.pop("text/html", None)
        return await super().save(model, path)


def _figures(model: dict) -> Iterator[tuple[dict, dict]]:
    """List the figures with words in a notebook: what is shown, and what is said about it."""
    content = model.get("content") if model.get("type") == "notebook" else None
    for cell in (content or {}).get("cells", ()):
        for output in cell.get("outputs", ()):
            about = output.get("metadata", {}).get("image/png", {})
            if "alt" in about:
                yield output["data"], about


def _is_solution(path: str) -> bool:
    return path.strip("/").startswith("solutions/")


def open_lab(workspace: Workspace, options: list[str]) -> int:
    """Open JupyterLab where the learner goes on, and return its status at the end.

    Around a workspace in a checkout or a release, the solutions are in sight, too.
    """
    folder = course_folder() if workspace.folder.is_relative_to(course_folder()) else None
    folder = folder or workspace.folder
    page = (workspace.folder / _page_to_open(workspace)).relative_to(folder).as_posix()
    command = [
        *(sys.executable, "-m", "jupyterlab"),
        f"--notebook-dir={folder}",
        f"--LabApp.default_url=/lab/tree/{page}",
        f"--ServerApp.contents_manager_class={__name__}.{CourseContents.__name__}",
    ]
    if os.name != "nt":
        # Where JupyterLab was started without a terminal, its own choice is a login shell, which
        # sets the PATH anew.
        shell = os.environ.get("SHELL") or "sh"
        command.append(f"--ServerApp.terminado_settings=shell_command={shell}")
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
    return run_lab(command + options, folder, environment)


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
