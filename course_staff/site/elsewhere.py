"""Links that leave a page: into the repository, and to where a lesson can be run."""

import json
import posixpath
import re
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell

from course_utils.workspace.curriculum import Lesson

__all__ = ["colab_notebook", "places_to_run", "relinked"]

_LINK = re.compile(r"(?<!!)\[([^]]*)\]\(([^)\s]+)\)")
_GITHUB = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+)")

# As nobody could run it in Colab yet, it uses what is documented, and no more.
_IN_COLAB = """\
# In Google Colab: install the course where it is missing, and keep your progress on your Drive.
import importlib.util
import os
import sys

if "google.colab" in sys.modules:
    if importlib.util.find_spec("course_utils") is None:
        %pip install --quiet "git+REPOSITORY"
    from google.colab import drive

    drive.mount("/content/drive")
    os.environ["COURSE_PROGRESS_FILE"] = "/content/drive/MyDrive/gradienttape/progress.json"
"""


def relinked(text: str, source: str, page: str, pages: dict[str, str], repository: str) -> str:
    """Return Markdown whose links, written for a file of the repository, hold on a page.

    Parameters
    ----------
    text : str
        The Markdown.
    source, page : str
        Where it stands in the repository, and where among the pages.
    pages : dict of str to str
        From files of the repository to their pages.
    repository : str
        The address of what is no page; where it is empty, such links become plain text.
    """

    def link(found: re.Match) -> str:
        words, (target, mark, anchor) = found[1], found[2].partition("#")
        if not target or ":" in target:
            return found[0]
        file = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        if file in pages:
            place = posixpath.relpath(pages[file], posixpath.dirname(page) or ".")
            return f"[{words}]({place}{mark}{anchor})"
        return f"[{words}]({repository}/blob/HEAD/{file})" if repository else words

    return _LINK.sub(link, text)


def places_to_run(lesson: Lesson, repository: str) -> str:
    """Return the line of a lesson's page that leads to where it can be run."""
    links = ["[in your own JupyterLab](../start.md)"]
    if repository:
        name = _name(repository)
        binder = f"https://mybinder.org/v2/gh/{name}/HEAD?urlpath=lab/tree/notebooks"
        colab = f"https://colab.research.google.com/github/{name}/blob/gh-pages/colab"
        links += [
            f"[in JupyterLab on Binder]({binder}/{lesson.name}.ipynb)",
            f"[in Colab]({colab}/{lesson.name}.ipynb), where nobody tried it yet",
        ]
    return f"**Do it**: {', '.join(links)}."


def _name(repository: str) -> str:
    found = _GITHUB.fullmatch(repository)
    if not found:
        raise ValueError(
            f"The repository is {repository!r}. Binder and Colab need an address such as "
            "https://github.com/owner/name, without anything behind it."
        )
    return found[1]


def colab_notebook(path: Path, repository: str) -> str:
    """Return a learner's notebook with a first cell for Colab, as JSON."""
    notebook = nbformat.read(path, as_version=4)
    cell = new_code_cell(_IN_COLAB.replace("REPOSITORY", repository), id="in-colab")
    notebook.cells.insert(0, cell)
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"
