"""The files that JupyterLab shows: solutions that nothing changes, and figures with words."""

import asyncio

import nbformat
import pytest
from tornado.web import HTTPError

from course_utils.contents import CourseContents


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
            with pytest.raises(HTTPError, match="is a solution, so it was not changed"):
                asyncio.run(contents.save(model, f"/{folder}/01.ipynb"))
        assert (before != (tmp_path / folder / "01.ipynb").read_text()) is writable


def test_the_words_of_a_figure_are_shown_in_html_that_no_file_stores(contents, tmp_path):
    path = tmp_path / "notebooks" / "01.ipynb"
    about = {"image/png": {"width": 8, "height": 6, "alt": "A line"}}
    figure = nbformat.v4.new_output("display_data", {"image/png": "iVBORw0K"}, metadata=about)
    table = nbformat.v4.new_output("display_data", {"text/html": "<b>7</b>"})
    cell = nbformat.v4.new_code_cell(outputs=[figure, table])
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), path)
    before = path.read_text()
    model = asyncio.run(contents.get("notebooks/01.ipynb"))
    shown, other = (output["data"] for output in model["content"]["cells"][0]["outputs"])
    assert 'alt="A line"' in shown["text/html"] and other == {"text/html": "<b>7</b>"}
    asyncio.run(contents.save(model, "notebooks/01.ipynb"))
    assert nbformat.read(path, 4).cells == nbformat.reads(before, 4).cells
