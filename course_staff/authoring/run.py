"""Running a notebook from top to bottom, apart from the progress of whoever builds it."""

import copy
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode
from traitlets.config import Config

from course_utils.workspace.progress import Progress, read_progress

__all__ = ["CELL_SECONDS", "NotebookFailed", "run_notebook", "without_ports"]

CELL_SECONDS = 120


class NotebookFailed(Exception):
    """A cell of the notebook did not run; ``cell_index`` counts from 0, over all cells."""

    def __init__(self, cell_index: int, message: str):
        super().__init__(message)
        self.cell_index = cell_index


def run_notebook(
    notebook: NotebookNode, folder: Path, after_cell: Callable[[], None] = lambda: None
) -> Progress:
    """Execute ``notebook`` in place, with ``folder`` as its working directory.

    Returns
    -------
    Progress
        What the notebook's own checks recorded, in a progress file made for this run.

    Raises
    ------
    NotebookFailed
        If a cell raised, ran for more than 120 seconds, or took the kernel down.
    """
    position = 0
    metadata = copy.deepcopy(notebook.metadata)

    def started(cell: NotebookNode, cell_index: int) -> None:
        nonlocal position
        position = cell_index

    with tempfile.TemporaryDirectory(prefix="course-") as temporary:
        progress_file = f"{temporary}/progress.json"
        client = NotebookClient(
            notebook,
            timeout=CELL_SECONDS,
            record_timing=False,
            coalesce_streams=True,
            config=without_ports(Path(temporary)),
            resources={"metadata": {"path": str(folder)}},
            on_cell_start=started,
            on_cell_complete=lambda cell, cell_index: after_cell(),
        )
        try:
            client.execute(env=os.environ | {"COURSE_PROGRESS_FILE": progress_file})
        except CellExecutionError as error:
            raise NotebookFailed(position, f"{error.ename}: {error.evalue}") from error
        except CellTimeoutError as error:
            raise NotebookFailed(position, f"still running after {CELL_SECONDS} seconds") from error
        except DeadKernelError as error:
            raise NotebookFailed(position, "the kernel died") from error
        # Which Python ran it is no part of the lesson.
        notebook.metadata = metadata
        return read_progress(Path(progress_file))


def without_ports(folder: Path) -> Config:
    """Return the settings of a kernel that is spoken to through sockets in an empty folder.

    A port is chosen before the kernel takes it, and another program may take it in between: then
    the kernel dies at its start. Windows, which has no such sockets, keeps to ports.
    """
    sockets = {"transport": "ipc", "connection_file": str(folder / "kernel.json")}
    return Config(KernelManager={} if os.name == "nt" else sockets)
