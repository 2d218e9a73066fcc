"""That the examples of the README, and of the tools' own page, give what stands there."""

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(("page", "examples"), [("README.md", 8), ("docs/gradient_tools.md", 18)])
def test_the_examples_of_the_pages(page, examples):
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    result = doctest.testfile(str(ROOT / page), module_relative=False, optionflags=options)
    assert result.attempted >= examples and result.failed == 0


def test_what_the_readme_shows_and_links_to_is_there_and_said_in_words():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    targets = re.findall(r'\]\(([^)#]+)[^)]*\)|(?:src|srcset)="([^"]+)"', text)
    files = [a or b for a, b in targets if not (a or b).startswith("https://")]
    assert [file for file in files if not (ROOT / file).exists()] == []
    assert len(re.findall(r'<img [^>]*alt="[^"]{40,}"', text)) == text.count("<img ") >= 2


def test_the_readme_offers_every_lesson_to_do_and_to_read():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for folder in ("notebooks", "solutions"):
        names = {path.name for path in (ROOT / folder).glob("*.ipynb")}
        assert set(re.findall(rf"\({folder}/([^)]+)\)", text)) == names
