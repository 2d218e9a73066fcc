"""What the search finds: pages by the words that people ask with, and nothing that is folded."""

import re
from pathlib import Path

import tomllib
from docutils import nodes
from sphinx.addnodes import index
from sphinx.errors import ExtensionError

__all__ = ["prepare_search"]

ASKED_FOR = Path(__file__).with_name("asked_for.toml")
_UNSEEN = "no-search"  # Sphinx leaves such a node out of its index
_FOLD = re.compile(r"<(/?)details\b")


def prepare_search(app) -> None:
    """Connect this to Sphinx. What a result quotes is cut in ``_static/excerpts.js``."""
    phrases = tomllib.loads(ASKED_FOR.read_text(encoding="utf-8"))

    def updated(app, env):
        if unknown := sorted(set(phrases) - env.found_docs):
            raise ExtensionError(f"asked_for.toml names pages that are not there: {unknown}")

    def read(app, doctree):
        _enter(doctree, phrases.get(app.env.current_document.docname, ()))

    app.connect("env-updated", updated)
    app.connect("doctree-read", read)
    app.connect("doctree-resolved", lambda app, doctree, page: _hide_what_is_folded(doctree))


def _enter(doctree: nodes.document, phrases: list[str]) -> None:
    """Enter the phrases into the index, which the search looks into before all else."""
    start = doctree.next_node(nodes.section)
    if phrases and start is not None:
        entries = [("single", phrase, start["ids"][0], "main", None) for phrase in phrases]
        start.insert(0, index(entries=entries))


def _hide_what_is_folded(doctree: nodes.document) -> None:
    """Keep answers, and what predictions come to, out of the index."""
    for parent in list(doctree.findall(nodes.Element)):
        depth = 0  # of folds that one raw node opens and another one closes
        for child in parent.children:
            if isinstance(child, nodes.raw):
                marks = [-1 if mark else 1 for mark in _FOLD.findall(child.astext())]
                depth += sum(marks)
                # A mark of its own is for a whole fold: it gets a box around it on the page.
                is_folded = bool(marks) and marks[0] == 1 and sum(marks) == 0
            else:
                is_folded = depth > 0
            if is_folded and isinstance(child, nodes.Element):
                child["classes"].append(_UNSEEN)
    for cell in doctree.findall(nodes.container):
        hidden = {
            f"cell_{part}" for part in ("input", "output") if f"tag_hide-{part}" in cell["classes"]
        }
        for part in cell.findall(nodes.container) if hidden else ():
            if hidden & {*part["classes"]}:
                part["classes"].append(_UNSEEN)
