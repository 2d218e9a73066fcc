"""The files that JupyterLab shows, in the process of its server."""

from collections.abc import Iterator
from typing import Any

from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager
from tornado.web import HTTPError

from .figures.in_notebooks import image_in_html

__all__ = ["CourseContents"]


class CourseContents(AsyncLargeFileManager):
    """The files that JupyterLab shows; those of ``solutions`` can be run and not changed.

    JupyterLab writes the version of Python into every notebook that it opens, and saves it. It
    leaves out the words of a figure, so they come to it inside HTML, which no file stores.
    """

    async def get(self, path: str, *args: Any, **kwargs: Any) -> dict:
        """Return the file, marked as one that JupyterLab does not save where it is a solution."""
        model = await super().get(path, *args, **kwargs)
        for data, about in _figures(model):
            data["text/html"] = image_in_html(data["image/png"], about)
        return model | {"writable": model["writable"] and not _is_solution(path)}

    async def save(self, model: dict, path: str = "") -> dict:
        """Save the file, unless it is a solution."""
        if _is_solution(path):
            raise HTTPError(
                403,
                (
                    f"{path} is a solution, so it was not changed. Save your version under a "
                    "different name."
                ),
            )
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
