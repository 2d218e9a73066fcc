"""The terms of the course: what a lesson sets in bold, with the paragraph that introduces it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from nbformat import NotebookNode

from course_utils.workspace.curriculum import Lesson

__all__ = ["EMPHASIS", "Term", "glossary_page", "terms_of"]

# Bold for another reason, or too common a word to be linked each time.
EMPHASIS = {
    "a",
    "an attack that fails is no proof",
    "b",
    "closed",
    "direction",
    "erase",
    "fix",
    "functional",
    "gain",
    "gap",
    "head",
    "in turn",
    "k plain tapes",
    "mode",
    "new tensor",
    "next",
    "one persistent tape",
    "one plain tape",
    "open",
    "score",
    "shift+enter",
    "sign",
    "support",
    "task",
    "to remember",
    "watch",
}

_BOLD = re.compile(r"\*\*(?=\S)((?:(?!\*\*).)+?)\*\*")
_CODE = re.compile(r"`[^`]*`")
_IS_TERM = re.compile(r"[^\W\d][\w' -]*")
_LONGEST = 4  # words


@dataclass(frozen=True)
class Term:
    """A term, the lesson that introduces it, and the paragraph in which it does."""

    name: str
    lesson: str
    paragraph: str

    @property
    def key(self) -> str:
        """What its forms have in common: ``"saliency map"`` of ``"Saliency maps"``."""
        return key_of(self.name)

    @property
    def anchor(self) -> str:
        """The name of its place, on the page of its lesson."""
        return "term-" + re.sub(r"\W+", "-", self.key)

    @property
    def plain(self) -> str:
        """The paragraph without its marks but those of formulas, for a hint that floats."""
        return re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", re.sub(r"\*\*?|`", "", self.paragraph))


def key_of(words: str) -> str:
    """Return the form under which a term is known.

    >>> key_of("A convolution"), key_of("logits"), key_of("AutoGraph")
    ('convolution', 'logit', 'autograph')
    """
    key = re.sub(r"^an? ", "", " ".join(words.replace("’", "'").split()).lower())
    return key[:-1] if re.search(r"[^s]s$", key) else key


def terms_of(pages: Iterable[tuple[Lesson, NotebookNode]]) -> dict[str, Term]:
    """Return the terms by their keys, each where it is introduced first."""
    terms: dict[str, Term] = {}
    for lesson, page in pages:
        for cell in page.cells[1:]:  # the first one says what comes
            for paragraph in _paragraphs(cell) if cell.cell_type == "markdown" else ():
                for name in _BOLD.findall(_CODE.sub(lambda code: "`" * len(code[0]), paragraph)):
                    if _is_term(name):
                        term = Term(name, lesson.name, _ended(paragraph))
                        terms.setdefault(term.key, term)
    return terms


def _paragraphs(cell: NotebookNode) -> list[str]:
    """Return the paragraphs of a cell, on one line each, but no heading and no callout."""
    parts = re.split(r"\n\s*\n|\n(?=- )|(?<=\n)(?=#)|(?<=</details>)\n", cell.source)
    lines = [" ".join(part.split()) for part in parts]
    return [line.removeprefix("- ") for line in lines if not line.startswith((">", "#", "|", "<"))]


def _is_term(name: str) -> bool:
    fits = _IS_TERM.fullmatch(name) and len(name.split()) <= _LONGEST
    return bool(fits) and key_of(name) not in EMPHASIS


def _ended(paragraph: str) -> str:
    return paragraph[:-1] + "." if paragraph.endswith(":") else paragraph


def glossary_page(terms: dict[str, Term], lessons: dict[str, Lesson]) -> str:
    """Return the page of all terms, each with a link to where it is introduced."""
    entries = [
        f"{term.key if term.name.islower() else term.name}\n"
        f": {term.paragraph} {{ref}}`{lessons[term.lesson].number} · "
        f"{lessons[term.lesson].title} <{term.anchor}>`\n"
        for term in sorted(terms.values(), key=lambda term: term.key)
    ]
    head = (
        "# Glossary\n\nEach term, in the paragraph of the lesson that introduces it. In later "
        "lessons a dotted line marks the first use of a term, and leads back there.\n\n"
    )
    return head + "\n".join(entries)
