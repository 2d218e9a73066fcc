"""The built site: its links, its images, no answer, and how it is in a browser."""

import re
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urlsplit

import nbformat
import pytest

from course_utils.workspace.curriculum import LESSONS

ROOT = Path(__file__).parents[2]
# One of each kind, and the one with the most to step through.
LOOKED_AT = (
    "index",
    "lessons/03_missing_gradients",
    "lessons/06_higher_order",
    "tools/gradient_tools",
    "causes",
    "built",
)
HEAVIEST = 3_000_000  # bytes of a page, with all that it loads
LIGHTEST_GROUND = 200  # of 255, behind a figure that was drawn for paper


def test_every_link_and_anchor_resolves(pages, built):
    broken, followed = [], 0
    for name, page in pages.items():
        for link in [*page.links, *page.loaded]:
            parts = urlsplit(link)
            if parts.scheme or name in ("search.html", "genindex.html") and not parts.path:
                continue
            target = (page.path.parent / unquote(parts.path)).resolve() if parts.path else page.path
            other = pages.get(target.relative_to(built).as_posix())
            followed += 1
            if not target.exists() or (parts.fragment and other is None):
                broken.append((name, link))
            elif parts.fragment and unquote(parts.fragment) not in other.ids:
                broken.append((name, link))
    assert followed > 1000 and not broken


def test_every_image_has_words(pages):
    shown = 0
    for lesson in LESSONS:
        images = pages[f"lessons/{lesson.name}.html"].images
        shown += len(images)
        for image in images:
            words = image.get("alt", "")
            assert words and not words.startswith(("../", "_images")), (lesson.name, image)
    assert shown > len(LESSONS)


def answer_lines(lesson):
    """Return the lines that the worked notebook has in its exercises, and the open one nowhere."""
    worked, mine = (
        nbformat.read(ROOT / folder / f"{lesson.name}.ipynb", as_version=4)
        for folder in ("solutions", "notebooks")
    )
    known = " ".join(" ".join(cell.source.replace("`", "").split()) for cell in mine.cells)
    lines = (
        " ".join(line.split())
        for cell in worked.cells
        if "exercise" in cell.metadata
        for line in cell.source.splitlines()
    )
    return [line for line in lines if len(line) > 12 and line not in known]


def test_no_page_shows_a_line_of_an_answer(pages):
    looked_for = 0
    for lesson in LESSONS:
        html = re.sub(r"<[^>]+>", "", pages[f"lessons/{lesson.name}.html"].html)
        text = " ".join(unescape(html).split())
        for line in answer_lines(lesson):
            looked_for += 1
            assert line not in text, (lesson.name, line)
    assert looked_for > 100


def test_later_uses_of_a_term_lead_to_where_it_is_introduced(pages):
    last = pages[f"lessons/{LESSONS[-1].name}.html"]
    assert any("#term-" in link for link in last.links)
    assert all("title=" in tag for tag in re.findall(r'<a class="[^"]*\bterm\b[^>]*>', last.html))
    first = pages[f"lessons/{LESSONS[1].name}.html"]
    assert "term-tape" in first.ids and "#term-tape" not in " ".join(first.links)


@pytest.fixture
def page(browser, built, address, request):
    """Return a function that opens a page in a theme; it holds what was asked of the network."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.asked, complaints = [], []
    failed_before = request.session.testsfailed
    page.on("request", lambda asked: page.asked.append(asked.url))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda m: complaints.append(m.text) if m.type == "error" else None)

    def open_page(name, theme="light"):
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        page.goto(f"{address}/{name}")
        return page

    yield open_page
    if request.session.testsfailed > failed_before:
        name = re.sub(r"\W+", "-", request.node.name)
        page.screenshot(path=built.with_name(f"{name}.png"))
    context.close()
    assert not complaints


def test_nothing_is_asked_of_another_host_and_no_page_is_heavy(page, pages, built, address):
    for name in sorted(pages):
        opened = page(name)
        asked = {url for url in opened.asked if not url.startswith(("data:", "blob:"))}
        assert all(url.startswith(f"{address}/") for url in asked), name
        files = {built / unquote(urlsplit(url).path)[1:] for url in asked}
        weight = sum(file.stat().st_size for file in files if file.is_file())
        assert weight < HEAVIEST, f"{name}: {weight} bytes"
        opened.asked.clear()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", LOOKED_AT)
def test_axe_finds_nothing_serious(page, name, theme):
    from axe_playwright_python.sync_playwright import Axe

    opened = page(f"{name}.html", theme)
    assert opened.locator("html").get_attribute("data-theme") == theme
    opened.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    # What a theme changes are colours. Styles that axe fetches again it looks for in a wrong place.
    rules = {"runOnly": ["color-contrast"]} if theme == "dark" else {}
    response = Axe().run(opened, options=rules | {"preload": False}).response
    assert response["passes"] and (rules or len(response["passes"]) > 20)
    found = [each for each in response["violations"] if each["impact"] in ("serious", "critical")]
    assert not [(each["id"], node["html"]) for each in found for node in each["nodes"]]


GROUNDS = """images => images.map(image => {
  for (let each = image; each; each = each.parentElement) {
    const parts = getComputedStyle(each).backgroundColor.match(/[\\d.]+/g).map(Number);
    if (parts.length === 3 || parts[3] > 0) return Math.min(...parts.slice(0, 3));
  }
  return 0;
})"""


def test_figures_drawn_for_paper_keep_their_paper_in_the_dark(page):
    seen = 0
    for lesson in LESSONS:
        images = page(f"lessons/{lesson.name}.html", "dark").locator("img[src$='.png']")
        grounds = images.evaluate_all(GROUNDS)
        seen += len(grounds)
        assert all(ground > LIGHTEST_GROUND for ground in grounds), lesson.name
    assert seen > len(LESSONS)


WANTED = """() => {
  const all = document.querySelectorAll("a[href], button, summary, input, [tabindex='0']");
  const seen = [...all].filter(each => each.checkVisibility({visibilityProperty: true})
    && !each.disabled && each.tabIndex >= 0);
  seen.forEach(each => each.dataset.wanted = "yes");
  return seen.length;
}"""
MISSED = "all => all.map(each => each.outerHTML.slice(0, 120))"


@pytest.mark.parametrize("name", ["index", "lessons/03_missing_gradients"])
def test_the_keyboard_reaches_everything(page, name):
    opened = page(f"{name}.html")
    wanted = opened.evaluate(WANTED)
    assert wanted > len(LESSONS)
    for _ in range(wanted + 20):  # what appears on the way is reached, too
        opened.keyboard.press("Tab")
        opened.evaluate("delete document.activeElement.dataset.wanted")
    assert not opened.locator("[data-wanted]").evaluate_all(MISSED)


def test_the_keyboard_opens_a_hint_and_steps_through_a_tape(page):
    opened = page(f"lessons/{LESSONS[1].name}.html")
    hint = opened.locator("summary", has_text="Hint 1").first
    hint.focus()
    opened.keyboard.press("Enter")
    assert opened.locator("details[open]", has=hint).count() == 1
    opened.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
    tape = opened.locator(".course-tape-moves").first
    assert tape.locator("output").text_content().startswith("Step 0")
    tape.focus()
    opened.keyboard.press("ArrowRight")
    tape.locator("output", has_text="Step 1").wait_for()


SHAPES = """images => images.filter(each => each.clientWidth && each.naturalWidth).map(each => {
  const style = getComputedStyle(each);
  const width = parseFloat(style.width) - parseFloat(style.paddingLeft) * 2;
  const height = parseFloat(style.height) - parseFloat(style.paddingTop) * 2;
  return [width / height, each.naturalWidth / each.naturalHeight];
})"""


@pytest.mark.parametrize("width", [1280, 400])
@pytest.mark.parametrize("name", LOOKED_AT)
def test_no_page_is_wider_than_the_window_and_no_picture_pressed(page, name, width):
    opened = page(f"{name}.html")
    opened.set_viewport_size({"width": width, "height": 900})
    assert opened.evaluate("document.documentElement.scrollWidth") <= width
    for is_, was in opened.locator("img").evaluate_all(SHAPES):
        assert abs(is_ / was - 1) < 0.05


@pytest.mark.parametrize(("width", "shown"), [(1280, "map"), (390, "list")])
@pytest.mark.parametrize("name", ["index", "lessons/index"])
def test_a_phone_gets_a_list_in_place_of_the_map(page, name, width, shown):
    opened = page(f"{name}.html")
    opened.set_viewport_size({"width": width, "height": 900})
    assert opened.locator(".lesson-map").is_visible() == (shown == "map")
    others = opened.locator(".lesson-list" if name == "index" else "table").first
    assert others.is_visible() == (shown == "list" or name != "index")


def test_the_first_page_leads_to_the_start_and_to_a_lesson(page):
    opened = page("index.html")
    for words, heading in (("Install", "Install"), ("Read lesson 01", "01 · The first tape")):
        opened.locator(".ways-in").get_by_role("link", name=words, exact=True).click()
        assert opened.locator("h1").text_content().startswith(heading)
        opened.go_back()
