"""What Sphinx does not do by itself: callouts, words for figures, terms, formulas as MathML."""

import re
from binascii import a2b_base64
from hashlib import sha256
from html import escape
from pathlib import PurePosixPath
from textwrap import shorten

import nbformat
from docutils import nodes
from docutils.utils.math import tex2unichar
from docutils.utils.math.latex2mathml import tex2mathml

from course_staff.site.glossary import Term, key_of
from course_utils.workspace.curriculum import LESSONS

__all__ = ["finish_pages"]

_CALLOUTS = {"Predict": "tip", "Note": "note", "Warning": "warning"}
_ORDER = {f"lessons/{lesson.name}": number for number, lesson in enumerate(LESSONS)}
_LINKED = (*_ORDER, "teaching")
_NO_LINKS_IN = (
    nodes.reference,
    nodes.literal,
    nodes.literal_block,
    nodes.title,
    nodes.strong,
    nodes.raw,
    nodes.math,
)
_LESSON = re.compile(r"\b[Ll]esson (\d\d)\b")
# How a formula is written in a hint that floats, where there are letters alone.
_IN_LETTERS = (
    (r"\\frac\{([^{}]*)\}\{([^{}]*)\}", r"\1/\2"),
    (r"\\sqrt\{([^{}]*)\}", r"√\1"),
    (r"\\text\{([^{}]*)\}", r"\1"),
    (r"\^2", "²"),
    (r"\^\\top", "ᵀ"),
    (r"\^t\b", "ᵗ"),
    (r"\\,", " "),
)
_SIGNS = tex2unichar.mathalpha | tex2unichar.mathbin | tex2unichar.mathrel
_DESCRIBED = 160  # characters of a page, for a search engine


def finish_pages(app, terms: dict[str, Term]) -> None:
    """Connect all this to Sphinx; ``terms`` are those of the glossary."""
    ends = r"(?:s|es)?\b"
    names = sorted(terms, key=len, reverse=True)  # the longest that fits
    pattern = re.compile(rf"\b({'|'.join(map(re.escape, names))}){ends}", re.I)

    def read(app, doctree):
        page = app.env.current_document.docname
        _make_callouts(doctree)
        if page in _ORDER:
            _say_figures(doctree, app.env.doc2path(page))
            _anchor_terms(app, doctree, page, terms)

    def resolved(app, doctree, page):
        if page in _LINKED:
            _link_terms(app, doctree, page, terms, pattern)

    app.connect("doctree-read", read)
    app.connect("doctree-resolved", resolved)
    app.connect("autodoc-process-docstring", _link_lessons)
    app.connect("html-page-context", _describe)
    app.add_html_math_renderer("mathml", (_visit_math, None), (_visit_math, None))


def _make_callouts(doctree: nodes.document) -> None:
    """Turn a quotation that starts with a bold word of its own into an admonition."""
    for quote in list(doctree.findall(nodes.block_quote)):
        first = quote.children[0] if quote.children else None
        if isinstance(first, nodes.paragraph) and first.astext() in _CALLOUTS:
            title = nodes.title("", first.astext())
            kind = _CALLOUTS[first.astext()]
            quote.replace_self(
                nodes.admonition("", title, *quote.children[1:], classes=["admonition", kind])
            )


def _say_figures(doctree: nodes.document, path: str) -> None:
    """Give each figure the words that stand beside it in the notebook."""
    words = {}
    for cell in nbformat.read(path, as_version=4).cells:
        for output in cell.get("outputs", ()):
            for kind, about in output.get("metadata", {}).items():
                if kind == "image/png" and "alt" in about:
                    # myst-nb names the file of a picture by its content.
                    content = a2b_base64(output["data"][kind])
                    words[sha256(content).hexdigest()] = " ".join(about["alt"].split())
    for image in doctree.findall(nodes.image):
        name = PurePosixPath(image["uri"]).stem
        if name in words:
            image["alt"] = words[name]


def _anchor_terms(app, doctree: nodes.document, page: str, terms: dict[str, Term]) -> None:
    """Mark where each term is introduced, so that links lead there."""
    labels = app.env.domains["std"].anonlabels
    for strong in doctree.findall(nodes.strong):
        term = terms.get(key_of(strong.astext()))
        if term and f"lessons/{term.lesson}" == page and term.anchor not in labels:
            strong["ids"].append(term.anchor)
            labels[term.anchor] = (page, term.anchor)


def _link_terms(app, doctree, page: str, terms: dict[str, Term], pattern: re.Pattern) -> None:
    """Link the first use of each term on a page to where an earlier lesson introduces it."""
    here = _ORDER.get(page, len(_ORDER))
    linked = {key_of(strong.astext()) for strong in doctree.findall(nodes.strong)}
    linked |= {key for key, term in terms.items() if _ORDER[f"lessons/{term.lesson}"] >= here}
    for text in list(doctree.findall(nodes.Text)):
        if any(isinstance(above, _NO_LINKS_IN) for above in _above(text)):
            continue
        parts, end = [], 0
        for found in pattern.finditer(text):
            key = key_of(found[1])
            if key in linked:
                continue
            linked.add(key)
            parts += [nodes.Text(text[end : found.start()]), _link(app, page, terms[key], found[0])]
            end = found.end()
        if parts:
            text.parent.replace(text, [*parts, nodes.Text(text[end:])])


def _above(node: nodes.Node):
    while node := node.parent:
        yield node


def _link(app, page: str, term: Term, words: str) -> nodes.reference:
    address = app.builder.get_relative_uri(page, f"lessons/{term.lesson}")
    return nodes.reference(
        "",
        words,
        internal=True,
        refuri=f"{address}#{term.anchor}",
        reftitle=in_letters(term.plain),
        classes=["term"],
    )


def _link_lessons(app, what, name, thing, options, lines: list[str]) -> None:
    """Make links of the lessons that a docstring names."""
    names = {lesson.number: lesson.name for lesson in LESSONS}

    def link(found):
        name = names.get(found[1])
        return f":doc:`{found[0]} </lessons/{name}>`" if name else found[0]

    lines[:] = [_LESSON.sub(link, line) for line in lines]


def in_letters(text: str) -> str:
    """Return a paragraph with its formulas in letters and signs."""

    def write(formula):
        tex = formula[1]
        for pattern, letters in _IN_LETTERS:
            tex = re.sub(pattern, letters, tex)
        return re.sub(r"\\([a-z]+)", lambda name: _SIGNS.get(name[1], name[1]), tex, flags=re.I)

    return re.sub(r"\$([^$]+)\$", write, text)


def _describe(app, page: str, template: str, context: dict, doctree) -> None:
    """Say to search engines what a page is about: its first paragraph."""
    first = next(doctree.findall(nodes.paragraph), None) if doctree else None
    if first is not None:
        text = escape(shorten(first.astext(), _DESCRIBED, placeholder=" …"))
        context["metatags"] += f'\n<meta name="description" content="{text}" />'


def _visit_math(self, node) -> None:
    """Write a formula in the browser's own language, which needs no script."""
    is_block = isinstance(node, nodes.math_block)
    formula = tex2mathml(node.astext(), as_block=is_block)
    self.body.append(self.starttag(node, "div") + formula + "</div>" if is_block else formula)
    raise nodes.SkipNode
