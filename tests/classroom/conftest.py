"""Gradings share one process that runs the right programs: each would import TensorFlow anew."""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from course_staff.classroom.judging.secret_references import References
from course_utils.course.tensorflow_start import quiet_tensorflow


@pytest.fixture(scope="session", autouse=True)
def one_process_for_the_right_programs():
    pool = ProcessPoolExecutor(1, get_context("spawn"), quiet_tensorflow)

    def submit(references, function, *arguments):
        return pool.submit(function, references._lessons, *arguments)

    with pool, pytest.MonkeyPatch.context() as patched:
        patched.setattr(References, "_submit", submit)
        yield
