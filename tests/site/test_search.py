"""What a search finds first, and that neither its index nor its excerpts hold what is folded."""

import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from course_utils.workspace.curriculum import LESSONS

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
ASKED_FOR = tomllib.loads((ROOT / "docs" / "site" / "asked_for.toml").read_text(encoding="utf-8"))
FIRST = {
    "None": "lessons/02_watching",  # a heading of its asks why a gradient is None
    "check_gradients": "tools/gradient_tools",
    "gradient is None": "causes",
    "nan gradient": "causes",
    "clip gradients per layer": "lessons/11_per_layer_clipping",
    "custom train_step": "lessons/14_fit_or_tape",
    "persistent tape": "lessons/04_persistence",
}


@pytest.fixture(scope="module")
def search(browser, built, address):
    """Return the page of the search, in a browser, with its index loaded."""
    page = browser.new_page()
    page.goto(f"{address}/search.html?q=tape")
    page.get_by_text("Search finished").wait_for()
    yield page
    page.close()


@pytest.mark.parametrize("words", FIRST)
def test_a_search_finds_the_right_page_first(search, address, words):
    search.goto(f"{address}/search.html?q={words.replace(' ', '+')}")
    search.get_by_text("Search finished").wait_for()
    result = search.locator("#search-results li a").first
    assert result.get_attribute("href").split("#")[0] == f"{FIRST[words]}.html"


FIRST_OF = "words => Search._performSearch(...Search._parseQuery(words)).at(-1)[0]"


@pytest.mark.parametrize("page", ASKED_FOR)
def test_the_words_that_people_ask_with_lead_to_their_page(search, page):
    found = {words: search.evaluate(FIRST_OF, words) for words in ASKED_FOR[page]}
    assert found == dict.fromkeys(ASKED_FOR[page], page)


class Folds(HTMLParser):
    """The words of a page, those that are folded apart from the others."""

    def __init__(self, html: str):
        super().__init__()
        self.depth, self.in_summary, self.folded, self.open = 0, False, set(), set()
        self.feed(re.sub(r"<(script|style)\b.*?</\1>", "", html, flags=re.S))

    def handle_starttag(self, tag, attrs):
        self.depth += tag == "details"
        self.in_summary |= tag == "summary"  # which names a fold, and holds no answer
        self.open |= words_of(" ".join(value or "" for _, value in attrs))

    def handle_endtag(self, tag):
        self.depth -= tag == "details"
        self.in_summary &= tag != "summary"

    def handle_data(self, data):
        is_folded = self.depth and not self.in_summary
        (self.folded if is_folded else self.open).update(words_of(data))


def words_of(text):
    return set(re.findall(r"\w+", text.lower()))


def test_the_index_holds_no_word_that_is_only_folded(pages, built):
    from sphinx.search.en import SearchEnglish

    index = json.loads(
        (built / "searchindex.js").read_text(encoding="utf-8").removeprefix("Search.setIndex(")[:-1]
    )
    stem = SearchEnglish({}).stem
    looked_for = 0
    for lesson in LESSONS:
        name = f"lessons/{lesson.name}"
        number = index["docnames"].index(name)
        words = Folds(pages[f"{name}.html"].html)
        seen = {stem(word) for word in words.open}
        for word in {stem(word) for word in words.folded if word.isalpha()} - seen:
            looked_for += 1
            places = index["terms"].get(word, [])
            assert number not in (places if isinstance(places, list) else [places]), (name, word)
    assert looked_for > 500


QUOTED = "async name => Search.htmlToText(await (await fetch(name)).text(), '')"


def test_no_excerpt_quotes_what_is_folded(search, pages):
    folded = 0
    for lesson in LESSONS:
        name = f"lessons/{lesson.name}.html"
        quoted = search.evaluate(QUOTED, name)
        assert lesson.title in quoted
        assert "✗ Not correct" not in quoted and "Messages for two wrong answers" not in quoted
        folded += pages[name].html.count("✗ Not correct")
    assert folded > len(LESSONS)
