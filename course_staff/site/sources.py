"""Everything that Sphinx reads for the site, written to a folder of its own."""

import json
import posixpath
import re
import shutil
from pathlib import Path

import course_utils
from course_utils.workspace.curriculum import LESSONS, Lesson

from .front import facts, lesson_list, lesson_map, shown
from .glossary import Term, glossary_page, terms_of
from .lessons import lesson_page

__all__ = ["relinked", "write_sources"]

# From files of the repository to their pages. What is in no table here is no page.
_DOCUMENTS = {
    "docs/instructors.md": "teaching.md",
    "docs/common_mistakes.md": "common_mistakes.md",
    "docs/grading_reference.md": "grading_reference.md",
    "docs/cluster.md": "cluster.md",
    "docs/cheat_sheet.md": "causes.md",
    "docs/gradient_tools.md": "tools/gradient_tools.md",
    "docs/installing.md": "installing.md",
    "docs/architecture.md": "built.md",
    "README.md": "index.md",
}
_LESSONS = {
    f"{folder}/{lesson.name}.ipynb": f"lessons/{lesson.name}.ipynb"
    for folder in ("solutions", "notebooks")
    for lesson in LESSONS
}
_PAGES = _DOCUMENTS | _LESSONS
_LINK = re.compile(r"(?<!!)\[([^]]*)\]\(([^)\s]+)\)")
# Names by their packages; those of gradient_tools are below a page of their own.
_SECTIONS = {
    "gradient_tools": "Reference",
    "course": "In a lesson",
    "figures": "Figures",
    "datasets": "Data",
}


def write_sources(root: Path, target: Path, repository: str) -> dict[str, Term]:
    """Write the pages' sources from the checkout ``root`` to ``target``, and return the terms."""
    lessons = {lesson: lesson_page(lesson, root) for lesson in LESSONS}
    terms = terms_of(lessons.items())
    files = _documents(root, repository)
    for lesson, page in lessons.items():
        name = f"notebooks/{lesson.name}.ipynb"
        for cell in page.cells:
            if cell.cell_type == "markdown":
                cell.source = relinked(cell.source, name, _PAGES[name], _PAGES, repository)
        page.cells[0].source += "\n\n**Do it**: [in your own JupyterLab](../start.md)."
        files[_PAGES[name]] = json.dumps(page, indent=1, ensure_ascii=False)
    files["lessons/index.md"] = _lessons_page(root)
    files["glossary.md"] = glossary_page(terms, {lesson.name: lesson for lesson in LESSONS})
    reference = _reference()
    files["tools/gradient_tools.md"] += reference.pop("tools/gradient_tools.md")
    files |= reference
    shutil.rmtree(target, ignore_errors=True)
    for name, text in files.items():
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for picture in (root / "docs" / "pictures").glob("*.png"):
        if f"(pictures/{picture.name})" in files["index.md"]:
            (target / "pictures").mkdir(exist_ok=True)
            shutil.copy(picture, target / "pictures")
    return terms


def relinked(text: str, source: str, page: str, pages: dict[str, str], repository: str) -> str:
    """Return Markdown of the repository with its links changed so that they work on a page.

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

    def link(match: re.Match) -> str:
        words, (target, mark, anchor) = match[1], match[2].partition("#")
        if not target or ":" in target:
            return match[0]
        file = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        if file in pages:
            place = posixpath.relpath(pages[file], posixpath.dirname(page) or ".")
            return f"[{words}]({place}{mark}{anchor})"
        return f"[{words}]({repository}/blob/HEAD/{file})" if repository else words

    return _LINK.sub(link, text)


def _documents(root: Path, repository: str) -> dict[str, str]:
    """Return the texts in docs/ as pages: the guides, and the site's own."""
    readme = (root / "README.md").read_text(encoding="utf-8")

    def section(page: str, name: str) -> str:
        return relinked(_section(readme, name), "README.md", page, _PAGES, repository)

    marks = shown(root) | {
        "FACTS": facts(),
        "PATHS": section("index.md", "Which lessons do I need?"),
        "BENCHMARKS": section("index.md", "Benchmarks"),
        "MAP": lesson_map("lessons/"),
        "LIST": lesson_list("lessons/"),
        "INSTALL": section("start.md", "Start"),
    }
    files = {
        page: relinked(
            (root / source).read_text(encoding="utf-8"), source, page, _PAGES, repository
        )
        for source, page in _DOCUMENTS.items()
        if page != "index.md"
    }
    for path in sorted((root / "docs" / "site").glob("*.md")):
        files[path.name] = path.read_text(encoding="utf-8")
    for mark, content in marks.items():
        files = {page: text.replace(f"<!-- {mark} -->", content) for page, text in files.items()}
    return files


def _section(readme: str, name: str) -> str:
    found = re.search(rf"^## {re.escape(name)}\n.*?(?=^## |\Z)", readme, re.M | re.S)
    if found is None:
        raise ValueError(
            f"README.md has no section {name!r}, which the site copies. Put the section back."
        )
    return found[0].strip()


def _lessons_page(root: Path) -> str:
    """Return the page of all lessons: the map, and a table for each part."""
    parts: dict[str, list[Lesson]] = {}
    for lesson in LESSONS:
        parts.setdefault(lesson.part, []).append(lesson)
    text = [
        "# The lessons",
        lesson_map(""),
        "On these pages, the exercises are unsolved, as they are in your own notebooks. Below each "
        "exercise, you see the messages for two wrong answers. The solved lessons are in the "
        "repository's `solutions` folder.",
    ]
    for part, lessons in parts.items():
        rows = [
            f"| {lesson.number} | [{lesson.title}]({lesson.name}.ipynb) | {lesson.minutes} "
            f"| {len(lesson.exercises())} |"
            for lesson in lessons
        ]
        head = ["| | lesson | minutes | exercises |", "|---|---|---|---|"]
        text += [f"## {part}", "\n".join(head + rows)]
        listed = "\n".join(lesson.name for lesson in lessons)
        text.append(f"```{{toctree}}\n:hidden:\n:caption: {part}\n\n{listed}\n```")
    return "\n\n".join(text) + "\n"


def _reference() -> dict[str, str]:
    """Return the pages of the tools, which autodoc fills from their docstrings."""
    sections: dict[str, list[str]] = {section: [] for section in _SECTIONS}
    for name, module in course_utils._HOME.items():  # type: ignore[attr-defined]
        package, _, rest = module.partition(".")
        section = package if package == "gradient_tools" else rest.partition(".")[0]
        sections[section if section in _SECTIONS else "course"].append(name)
    listed = "\n".join(sections)
    files = {
        "tools/index.md": (
            "# The tools\n\nWhat `course_utils` offers in a notebook. The tools under "
            "`gradient_tools` work in any program, and can also be imported from "
            f"there.\n\n```{{toctree}}\n{listed}\n```\n"
        )
    }
    for section, names in sections.items():
        entries = [
            f".. auto{'class' if name[0].isupper() else 'function'}:: {name}"
            + ("\n   :members:" if name[0].isupper() else "")
            for name in sorted(names, key=str.lower)
        ]
        is_below = section == "gradient_tools"
        package, head = (section, "\n##") if is_below else ("course_utils", "#")
        body = "\n\n".join([f".. currentmodule:: {package}", *entries])
        text = f"{head} {_SECTIONS[section]}\n\n```{{eval-rst}}\n{body}\n```\n"
        files[f"tools/{section}.md"] = text
    return files
