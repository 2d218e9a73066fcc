"""Settings of every test run: progress, MNIST, figures, and what nbval compares and shows."""

import os
import re
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from queue import Empty

import matplotlib
import nbformat
import nbval.kernel
import nbval.plugin
import pytest
import warm_kernels

from course_staff.authoring.run import without_ports

# Notebooks that a test runs must not touch the progress of whoever runs the tests.
os.environ["COURSE_PROGRESS_FILE"] = f"{tempfile.mkdtemp(prefix='course-')}/progress.json"

# Real MNIST is used where it stands beside the checkout; everything passes without it.
_mnist = Path(__file__).parents[1] / "shared" / "data"
if (_mnist / "mnist.npz").exists():
    os.environ.setdefault("COURSE_DATA_DIR", str(_mnist))

# Workers share the cores: with more threads than cores, they would wait for each other.
_threads = max(1, (os.cpu_count() or 1) // int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", 1)))
os.environ.setdefault("TF_NUM_INTRAOP_THREADS", str(_threads))
os.environ.setdefault("TF_NUM_INTEROP_THREADS", str(_threads))

_SECONDS_BETWEEN_LOOKS = 2.0


@pytest.fixture(scope="module")
def kernel_settings():
    """Return the settings of a kernel that takes no port, in a folder with a short path."""
    with tempfile.TemporaryDirectory(prefix="course-") as folder:
        yield without_ports(Path(folder))


class _OwnKernelManager(nbval.kernel.KernelManager):
    """nbval's kernels: none takes a port, which another program could take before it.

    Each begins with no progress, whatever a test or another notebook left. On Linux, where forking
    is safe, they are there at once.
    """

    def __init__(self, **settings):
        self._folder = Path(tempfile.mkdtemp(prefix="course-"))
        super().__init__(config=without_ports(self._folder), **settings)

    def start_kernel(self, **options):
        progress_file = str(self._folder / "progress.json")
        environment = os.environ | {"COURSE_PROGRESS_FILE": progress_file}
        return super().start_kernel(env=environment, **options)

    def format_kernel_cmd(self, extra_arguments=None):
        if sys.platform != "linux":
            return super().format_kernel_cmd(extra_arguments)
        return warm_kernels.command(self.connection_file)


nbval.kernel.KernelManager = _OwnKernelManager


@pytest.fixture(scope="module", autouse=True)
def figures_as_they_were():
    """Keep the style that `start_lesson` gives to figures out of the files that follow."""
    with matplotlib.rc_context():
        yield


class _KernelDied(Exception):
    """The kernel ended while it ran a cell; the text is what the cell had written until then."""


def _get_message_from_living_kernel(kernel, stream, timeout=None):
    """Wait as nbval does, but look every two seconds whether the kernel is still there.

    nbval itself waits for a message from a dead kernel until the cell's time is over.
    """
    receive = {"iopub": kernel.kc.get_iopub_msg, "shell": kernel.kc.get_shell_msg}[stream]
    end = time.monotonic() + (float("inf") if timeout is None else timeout)
    while True:
        left = max(0.0, end - time.monotonic())
        try:
            return receive(timeout=min(left, _SECONDS_BETWEEN_LOOKS))
        except Empty:
            if not kernel.is_alive():
                raise _KernelDied(_unread_text(kernel)) from None
            if left == 0.0:
                raise


def _unread_text(kernel):
    """Return what a kernel wrote that nbval has not read yet."""
    text = []
    while True:
        try:
            content = kernel.kc.get_iopub_msg(timeout=0.2)["content"]
        except Empty:
            return "".join(text)
        text.append(content.get("text") or content.get("data", {}).get("text/plain", ""))


_run_cell = nbval.plugin.IPyNbCell.runtest
_compare_outputs = nbval.plugin.IPyNbCell.compare_outputs


def _run_cell_with_evidence(cell):
    """Run a cell as nbval does; a failure also shows what the cell had written."""
    try:
        _run_cell(cell)
    except _KernelDied as death:
        written = _written(cell, "stdout", "stderr") + str(death)
        message = "The kernel died while it ran this cell."
        last = written and f"The cell had written:\n{written}"
        raise nbval.plugin.NbCellError(cell.cell_num, message, cell.cell.source, last) from None
    except nbval.plugin.NbCellError as error:
        if written := _written(cell, "stderr"):
            before = f"{error.inner_traceback}\n" if error.inner_traceback else ""
            error.inner_traceback = f"{before}The cell wrote to standard error:\n{written}"
        raise


def _written(cell, *streams):
    """Return what a cell wrote to these streams, as far as nbval has read it."""
    outputs = cell.test_outputs or []
    return "".join(output.text for output in outputs if output.get("name") in streams)


def _compare_outputs_and_figures(cell, test, ref, skip_compare=None):
    """Compare outputs as nbval does, and figures by their words."""
    test, ref = ([_with_words(output) for output in outputs] for outputs in (test, ref))
    return _compare_outputs(cell, test, ref, skip_compare)


_NUMBERS = re.compile(r"[-−]?\d+(,\d{3})*(\.\d+)?(e[-+]?\d+)?")

_FIGURE_SIZE = re.compile(r"^<Figure size [\d.]+x[\d.]+")


def _with_words(output):
    """Return an output with what is compared of its picture, which nbval leaves out.

    That is the course's words, without their numbers, which depend on the processor. A picture
    that has none is compared as it is. The size of a figure, which its text names, is left out.
    """
    data = output.get("data", {})
    if "image/png" not in data:
        return output
    words = output["metadata"].get("image/png", {}).get("alt")
    name = "picture" if words is None else "words of the figure"
    compared = data["image/png"].strip() if words is None else _NUMBERS.sub("#", words)
    plain = _FIGURE_SIZE.sub("<Figure", data.get("text/plain", ""))
    return nbformat.from_dict({**output, "data": {**data, "text/plain": plain, name: compared}})


nbval.kernel.RunningKernel.get_message = _get_message_from_living_kernel
nbval.plugin.IPyNbCell.runtest = _run_cell_with_evidence
nbval.plugin.IPyNbCell.compare_outputs = _compare_outputs_and_figures


def pytest_terminal_summary(terminalreporter, config):
    """Write the seconds of each file, and those of the longest tests, where they were asked for."""
    if config.option.durations is None:
        return
    by_test = Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if hasattr(report, "duration"):
                by_test[report.nodeid] += report.duration
    by_file = Counter()
    for test, seconds in by_test.items():
        by_file[test.partition("::")[0]] += seconds
    longest = by_test.most_common(config.option.durations)
    lines = [f"{seconds:8.1f} {name}" for name, seconds in [*by_file.most_common(), *longest]]
    path = config.rootpath / "build" / "durations.txt"
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
