"""A student's server on a JupyterHub: makes the workspace at the first login, and opens it.

The hub's setting ``c.Spawner.cmd`` names ``python -m course_utils.on_hub``. It runs as the
student, wherever the spawner puts it, so that it writes where the student can, and nowhere else.
"""

import os
import sys
from pathlib import Path

from .lab import lab_of
from .workspace.filling import start_workspace
from .workspace.folders import WorkspaceError
from .workspace.originals import GivenError

__all__ = ["main"]

_FOLDER = "~/gradienttape"


def main() -> None:
    """Become the student's server, with the options that the hub gives it.

    The folder is ``$COURSE_FOLDER``, or else ``~/gradienttape``. Where it cannot be filled, as on a
    full disk, the log says why, and the server starts in the student's home, to make room there.
    """
    command = [sys.executable, "-m", "jupyterhub.singleuser"]
    environment = dict(os.environ)
    try:
        workspace = start_workspace(Path(os.environ.get("COURSE_FOLDER", _FOLDER))).workspace
        os.chdir(workspace.folder)
        lab = lab_of(workspace)
    except (WorkspaceError, GivenError, OSError) as error:
        print(
            f"The lessons could not be copied, so JupyterLab starts without them: {error} Fix the "
            "cause, and restart the server.",
            file=sys.stderr,
        )
    else:
        command += lab.options
        environment = lab.environment | {"JUPYTERHUB_DEFAULT_URL": lab.page}
    os.execve(sys.executable, [*command, *sys.argv[1:]], environment)


if __name__ == "__main__":
    main()
