"""What the course shows, on a page of its own: on the screen, on paper, and without its script."""

import pytest

pytest.importorskip("playwright.sync_api", reason="run `make browser-test`")

IS_SEEN = "part => part.checkVisibility({visibilityProperty: true})"


@pytest.fixture(scope="module")
def shown():
    import tensorflow as tf

    from course_utils import check, play_tape, predict

    outputs = play_tape(lambda x: tf.round(x) + x * x, 2.3), check("00.1"), predict("00.a", "a")
    body = "".join(f"<main>{output._repr_html_()}</main>" for output in outputs[:1])
    body += "".join(output._repr_html_() for output in outputs[1:])
    return f"<!doctype html><html lang=en><title>Shown</title><body>{body}</body></html>"


@pytest.fixture
def show(browser, shown):
    contexts = []

    def open_page(**options):
        contexts.append(browser.new_context(**options))
        page = contexts[-1].new_page()
        page.set_content(shown)
        return page

    yield open_page
    for context in contexts:
        context.close()


def test_a_tape_is_whole_where_no_script_runs(show):
    page = show(java_script_enabled=False)
    assert page.locator(".course-tape-moves img").bounding_box()["height"] > 80  # it is drawn
    steps = page.locator(".course-tape-moves li")
    assert steps.count() > 5 and all(step.is_visible() for step in steps.all())
    assert page.locator("button").count() == 0


def test_a_tape_is_whole_on_paper_whatever_its_step(show):
    page = show()
    parts = page.locator(".course-tape-moves :is(li, .later, .card)")
    on_screen = [part.evaluate(IS_SEEN) for part in parts.all()]
    assert on_screen.count(True) < on_screen.count(False)
    page.emulate_media(media="print")
    assert all(part.evaluate(IS_SEEN) for part in parts.all())
    assert not page.get_by_role("button", name="Step").is_visible()
    colours = "texts => texts.map(text => getComputedStyle(text).fill)"
    on_paper = page.locator(".card text").evaluate_all(colours)
    page.emulate_media(media="screen")
    assert page.locator(".card text").evaluate_all(colours) != on_paper
    page.get_by_role("button", name="End").click()
    assert page.locator(".card text").evaluate_all(colours) == on_paper


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_serious(show, theme):
    from axe_playwright_python.sync_playwright import Axe

    page = show(color_scheme=theme)
    page.add_style_tag(
        content=":root {color-scheme: light dark} body {background: Canvas; color: CanvasText}"
    )
    found = Axe().run(page).response["violations"]
    found = [each for each in found if each["impact"] in ("serious", "critical")]
    assert not [(each["id"], node["html"]) for each in found for node in each["nodes"]]
