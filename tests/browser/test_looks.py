"""How the lessons look: nothing is cut off, at three widths, in the light and the dark theme."""

import json

import pytest

from .conftest import ROOT

LESSONS = sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb"))
SOLUTIONS = ("00_start_here", "01_first_tape", "03_missing_gradients", "13_mnist")
WIDTHS = (1600, 1280, 900)
WORST = ("serious", "critical")  # of what axe finds

# What shows an output or a table, and is wider than the room that it has.
CUT_OFF = """
() => {
  const shown = ".jp-NotebookPanel:not(.lm-mod-hidden) ";
  const parts = ["img", "svg", "table", ".jp-RenderedHTMLCommon > div", "pre"];
  const where = [".jp-OutputArea-output ", ".jp-MarkdownOutput "];
  const found = document.querySelectorAll(
    where.flatMap(place => parts.map(part => shown + place + part)).join(", "));
  const cut = [];
  for (const part of found) {
    const room = part.closest(".jp-OutputArea-output, .jp-MarkdownOutput");
    const edges = [part, room].map(element => element.getBoundingClientRect().right);
    const scrolls = part.scrollWidth > part.clientWidth + 1 && part.tagName !== "svg";
    if (part.getClientRects().length && (edges[0] > edges[1] + 1 || scrolls))
      cut.push(part.tagName + ": " + (part.textContent || part.alt || "").slice(0, 80));
  }
  return {cut, looked_at: found.length};
}
"""
# The size of a drawn text on the screen.
SIZE_OF_TEXT = "text => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a"


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
@pytest.mark.parametrize("name", SOLUTIONS)
def test_no_figure_table_or_text_is_cut_off(notebook, name, theme):
    notebook.choose_theme(theme)
    notebook.open(f"solutions/{name}.ipynb")
    notebook.page.locator(f"body[data-jp-theme-name='{theme}']").wait_for(state="attached")
    for width in WIDTHS:
        notebook.page.set_viewport_size({"width": width, "height": 1000})
        for cell in notebook.panel.locator(".jp-Cell").all():
            cell.evaluate(
                "cell => cell.scrollIntoView()"
            )  # far from the screen, it is not laid out
        seen = notebook.page.evaluate(CUT_OFF)
        assert seen["looked_at"] > 3 and not seen["cut"], f"at {width} pixels"
    assert notebook.figures_are_described(name)


def test_no_line_of_code_is_cut_off_in_a_narrow_window(notebook):
    notebook.page.set_viewport_size({"width": 1000, "height": 1000})
    notebook.open("work/01_first_tape.ipynb")
    for cell in notebook.panel.locator(".jp-CodeCell").all():
        cell.evaluate("cell => cell.scrollIntoView()")
        text = cell.locator(".cm-scroller")
        assert text.evaluate("text => text.scrollWidth <= text.clientWidth"), text.inner_text()


def test_a_solution_that_was_opened_and_run_is_as_it_was(notebook):
    path = notebook.lab.folder / "solutions" / "00_start_here.ipynb"
    before = path.read_bytes()
    notebook.open("solutions/00_start_here.ipynb")
    notebook.panel.locator("blockquote", has_text="Solution").wait_for()
    notebook.run(notebook.code("start_lesson("))
    notebook.page.keyboard.press("ControlOrMeta+S")
    notebook.page.wait_for_timeout(2000)
    assert path.read_bytes() == before
    assert json.loads(before)["metadata"]["language_info"]["name"] == "python"


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_a_tape_that_moves_follows_the_keys_and_fits(notebook, theme):
    notebook.choose_theme(theme)
    notebook.open("work/01_first_tape.ipynb")
    notebook.unfold("Going deeper")
    notebook.run(notebook.code("start_lesson("))
    cell = notebook.code("play_tape(x_times_sine")
    notebook.run(cell)
    tape = cell.locator(".course-tape-moves")
    tape.focus()
    for key, step in (("End", 7), ("ArrowLeft", 6), ("ArrowRight", 7)):
        notebook.page.keyboard.press(key)
        assert tape.locator("output").text_content() == f"Step {step} of 7"
    tape.get_by_role("button", name="Back").focus()
    for key, step in (("Enter", 6), ("Space", 5)):
        notebook.page.keyboard.press(key)
        assert tape.locator("output").text_content() == f"Step {step} of 7"
    for width in WIDTHS:
        notebook.page.set_viewport_size({"width": width, "height": 1000})
        assert tape.evaluate("tape => tape.scrollWidth <= tape.clientWidth"), f"at {width} pixels"
        letters = tape.locator("svg text").first.evaluate(SIZE_OF_TEXT)
        assert letters > 8, f"at {width} pixels"  # pixels, so that they can be read


def test_what_is_saved_from_within_a_tape_that_moves_is_there_after_a_reload(notebook):
    notebook.open("work/01_first_tape.ipynb")
    notebook.unfold("Going deeper")
    notebook.run(notebook.code("start_lesson("))
    cell = notebook.code("play_tape(x_times_sine")
    notebook.run(cell)
    cell.locator(".course-tape-moves").focus()
    notebook.page.keyboard.press("ArrowRight")
    notebook.save()
    notebook.page.reload()
    notebook.panel.locator(".jp-Cell").first.wait_for()
    notebook.wait_for_kernel()
    cell.locator(".course-tape-moves output", has_text="Step 0 of 7").wait_for()


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_axe_finds_nothing_serious_in_what_the_course_shows(notebook, theme):
    from axe_playwright_python.sync_playwright import Axe

    notebook.choose_theme(theme)
    notebook.open("work/01_first_tape.ipynb")
    notebook.unfold("Going deeper")
    for fragment in ("start_lesson(", 'predict("01.a"', 'check("01.2"', "play_tape(x_times_sine"):
        notebook.run(notebook.code(fragment))
        notebook.code(fragment).scroll_into_view_if_needed()
        shown = Axe().run(
            notebook.page, context=".jp-OutputArea-output", options={"preload": False}
        )
        serious = [x for x in shown.response["violations"] if x["impact"] in WORST]
        assert not [(x["id"], node["html"]) for x in serious for node in x["nodes"]]
    assert len(shown.response["passes"]) > 3


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_opens_with_its_last_part_folded(notebook, name, theme):
    notebook.choose_theme(theme)
    notebook.open(f"notebooks/{name}.ipynb")
    cells = notebook.panel.locator(".jp-Cell")
    inside = notebook.heading("Going deeper").locator("xpath=following-sibling::*[1]")
    for width in WIDTHS:
        notebook.page.set_viewport_size({"width": width, "height": 1000})
        for cell in cells.all():
            cell.evaluate("cell => cell.scrollIntoView()")
        seen = notebook.page.evaluate(CUT_OFF)
        assert seen["looked_at"] and not seen["cut"], f"at {width} pixels"
    assert not inside.is_visible()
    notebook.unfold("Going deeper")
    inside.wait_for(state="visible")
