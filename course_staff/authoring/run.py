"""Running a notebook from top to bottom, apart from the progress of whoever builds it."""

import copy
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

from course_utils.workspace.progress import Progress, read_progress

__all__ = ["CELL_SECONDS", "NotebookFailed", "run_notebook"]

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

    def finished(cell: NotebookNode, cell_index: int) -> None:
        after_cell()

    client = NotebookClient(
        notebook,
        timeout=CELL_SECONDS,
        record_timing=False,
        coalesce_streams=True,
        # The kernel listens on this machine alone, and warns about it all the same.
        extra_arguments=["--IPKernelApp.log_level=ERROR"],
        resources={"metadata": {"path": str(folder)}},
        on_cell_start=started,
        on_cell_complete=finished,
    )
    with tempfile.TemporaryDirectory(prefix="course-") as temporary:
        progress_file = f"{temporary}/progress.json"
        try:
            client.execute(env=os.environ | {"COURSE_PROGRESS_FILE": progress_file})
        except CellExecutionError as error:
            raise NotebookFailed(position, f"{error.ename}: {error.evalue}") from error
        except CellTimeoutError as error:
            message = f"still running after {CELL_SECONDS} seconds"
            raise NotebookFailed(position, message) from error
        except DeadKernelError as error:
            raise NotebookFailed(position, "the kernel died") from error
        # Which Python ran it is no part of the lesson.
        notebook.metadata = metadata
        return read_progress(Path(progress_file))
