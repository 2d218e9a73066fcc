"""The files that JupyterLab shows: a solution can be opened, and nothing changes it."""

import asyncio

import nbformat
import pytest
from tornado.web import HTTPError

from course_utils.course.lab import CourseContents


@pytest.fixture
def contents(tmp_path):
    for folder in ("notebooks", "solutions"):
        (tmp_path / folder).mkdir()
        nbformat.write(nbformat.v4.new_notebook(), tmp_path / folder / "01.ipynb")
    return CourseContents(root_dir=str(tmp_path))


def test_a_notebook_is_saved_and_a_solution_is_not(contents, tmp_path):
    for folder, writable in (("notebooks", True), ("solutions", False)):
        model = asyncio.run(contents.get(f"{folder}/01.ipynb"))
        assert model["writable"] is writable
        model["content"]["metadata"]["version"] = "3.12"
        before = (tmp_path / folder / "01.ipynb").read_text()
        if writable:
            asyncio.run(contents.save(model, f"/{folder}/01.ipynb"))
        else:
            with pytest.raises(HTTPError, match="is a solution and stays as it is"):
                asyncio.run(contents.save(model, f"/{folder}/01.ipynb"))
        assert (before != (tmp_path / folder / "01.ipynb").read_text()) is writable
