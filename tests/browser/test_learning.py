"""A learner's first hours in JupyterLab, as a person meets them."""

import re

import pytest

from .notebook_page import PATIENCE

said = "The tests in a browser need Playwright: run `make browser-test`."
expect = pytest.importorskip("playwright.sync_api", reason=said).expect
expect.set_options(timeout=PATIENCE)
LESSON = "notebooks/00_start_here.ipynb"
WRONG = "def rate_of_change(f, x, h):\n    return f(x + h) - f(x)"
RIGHT = "def rate_of_change(f, x, h):\n    return (f(x + h) - f(x)) / h"
# A graph that never ends.
ENDLESS = "tf.function(lambda: tf.while_loop(lambda x: x < 1, lambda x: (x / 2,), (0.0,)))()"


def test_the_first_screen_is_the_first_lesson_and_nothing_lies_on_it(notebook):
    notebook.page.goto(notebook.lab.address)
    notebook.panel.locator("h1", has_text="00 · Start here").wait_for()
    notebook.page.locator(".jp-DirListing-item").first.wait_for()
    notebook.page.wait_for_timeout(3000)  # a pop-up comes when all else is there
    assert notebook.page.locator(".Toastify__toast, .jp-Dialog").count() == 0
    for name in notebook.page.locator(".jp-DirListing-itemText > span").all():
        assert name.evaluate("name => name.scrollWidth <= name.clientWidth"), name.inner_text()


def test_a_prediction_and_an_exercise_from_a_wrong_answer_to_a_pass_and_back(notebook):
    notebook.open(LESSON)
    start, exercise = notebook.code("start_lesson("), notebook.code("def rate_of_change")
    check = notebook.code('check("00.2"')
    notebook.start(start)
    expect(start).to_contain_text("TensorFlow starts")
    notebook.wait_until_done(start)
    shown = notebook.shown(start)
    assert "TensorFlow starts" not in shown and "Start with Exercise 00.1" in shown
    prediction = notebook.code('predict("00.a"')
    assert "float64" not in notebook.run(prediction)
    notebook.type_into(prediction, 'predict("00.a", "a")')
    assert "you predicted: int32 · it is: float64" in notebook.run(prediction)
    assert "not attempted" in (notebook.run(exercise) + notebook.run(check)).lower()

    notebook.type_into(exercise, WRONG)
    notebook.run(exercise)
    assert "Failed" in (said := notebook.run(check)) and "divide" in said.lower()
    notebook.type_into(exercise, RIGHT)
    notebook.run(exercise)
    assert "Passed" in notebook.run(check)

    status = notebook.add_cell_below(check, "from course_utils import reset, status\n\nstatus()")
    assert "1 of " in notebook.run(status) and "Next: 00.3" in notebook.shown(status)
    expect(status.locator("img[alt*='map']")).to_be_visible()
    assert "Go on with Exercise 00.1" in notebook.run(start)

    again = notebook.add_cell_below(status, 'reset("00.2")')
    assert "Nothing was reset yet" in notebook.run(again)
    notebook.save()
    assert "is as it was given" in notebook.run(again)
    notebook.menu("File", "Reload Notebook from Disk")
    notebook.page.locator(".jp-Dialog .jp-mod-accept").click()
    expect(exercise).to_contain_text("raise NotImplementedError")
    expect(check.locator(".jp-OutputArea-output")).to_have_count(0)


def test_a_hint_opens_by_keyboard(notebook):
    notebook.open(LESSON)
    hint = notebook.panel.locator("details", has_text="Hint 1").first
    assert hint.get_attribute("open") is None
    hint.locator("summary").focus()
    notebook.page.keyboard.press("Enter")
    expect(hint).to_have_attribute("open", "")
    expect(hint).to_contain_text("Divide, and think of ever smaller steps")


def test_the_terminal_knows_the_course(notebook):
    notebook.open(LESSON)
    notebook.menu("File", "New")
    notebook.page.locator(".lm-Menu-itemLabel", has_text=re.compile("^Terminal$")).click()
    terminal = notebook.page.locator(".jp-Terminal-body")
    terminal.click()
    notebook.page.keyboard.type("course status > said.txt; course status\n")
    said = notebook.lab.folder / "said.txt"
    notebook.page.wait_for_timeout(5000)
    assert "exercises passed" in said.read_text()


def test_a_lesson_restarted_and_run_as_a_whole_stops_nowhere(notebook):
    notebook.open("notebooks/01_first_tape.ipynb")
    notebook.run(notebook.code("start_lesson("))
    notebook.menu("Kernel", "Restart Kernel…")
    notebook.page.locator(".jp-Dialog .jp-mod-accept").click()
    notebook.page.locator("#jp-main-statusbar", has_text="Restarting").wait_for()
    notebook.wait_for_kernel()
    notebook.menu("Run", "Run All Cells")
    notebook.wait_until_done(notebook.panel.locator(".jp-CodeCell").last)
    for cell in notebook.panel.locator(".jp-CodeCell").all():
        assert re.fullmatch(r"\[\d+\]:", notebook.prompt(cell))
    wrong = notebook.panel.locator("[data-mime-type*='error'], [data-mime-type*='stderr']")
    assert wrong.count() == 0


def test_training_runs_twice_without_a_warning_and_an_interrupt_ends_it(notebook):
    notebook.open("notebooks/13_mnist.ipynb")
    training, cells = notebook.code("epochs = "), notebook.panel.locator(".jp-CodeCell")
    training.locator(".jp-InputPrompt").click()
    notebook.menu("Run", "Run All Above Selected Cell")
    for _ in range(2):
        notebook.run(training)
    endless = notebook.add_cell_below(training, ENDLESS)
    notebook.start(endless)
    notebook.page.wait_for_timeout(3000)
    assert notebook.prompt(endless) == "[*]:"
    notebook.page.keyboard.press("Escape")
    notebook.page.keyboard.type("ii")
    notebook.wait_until_done(endless)
    assert "KeyboardInterrupt" in notebook.shown(endless)
    notebook.run(training)
    said = cells.locator("[data-mime-type*='stderr'], [data-mime-type*='error']")
    assert all("KeyboardInterrupt" in text for text in said.all_text_contents())
