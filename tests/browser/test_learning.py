"""A learner's first hours in JupyterLab, as a person meets them."""

import re
from typing import NamedTuple

import pytest

from course_utils.exercises.lesson_questions import variants

from .notebook_page import PATIENCE

said = "The tests in a browser need Playwright: run `make browser-test`."
expect = pytest.importorskip("playwright.sync_api", reason=said).expect
expect.set_options(timeout=PATIENCE)
LESSON = "work/00_start_here.ipynb"
WRONG = "def rate_of_change(f, x, h):\n    return f(x + h) - f(x)"
RIGHT = "def rate_of_change(f, x, h):\n    return (f(x + h) - f(x)) / h"


class Visit(NamedTuple):
    """What somebody types in a lesson, and what the lesson says to it."""

    lesson: str
    prediction: str
    predicted: str
    truth: str
    exercise: str
    wrong: str
    said: str
    right: str
    hint: str


RECORDED = """def slope(x):
    x = tf.Variable(x)
    with tf.GradientTape() as tape:
        y = x**3 - 2 * x
    return """
DESCENT = """def descend(params, x, y, lr, steps):
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((params["w"] * x + params["b"] - y) ** 2)
        gradients = tape.gradient(loss, params)
        for name in params:
            params[name]."""
COMPARISON = """def compare(measure, setting, change, seeds):
    gains = [measure(setting | change, seed) - measure(setting, seed) for seed in seeds]
    return np.mean(gains), np.std(gains"""
VISITS = [
    Visit(
        "01_first_tape",
        *("01.a", "10", "6"),
        *("01.1", RECORDED + "y", "This is y itself", RECORDED + "tape.gradient(y, x)"),
        "Make a tf.Variable from the number first",
    ),
    Visit(
        "03_missing_gradients",
        *("03.a", "None, 0, NaN", "0, NaN, None"),
        *(
            "03.1",
            DESCENT + "assign(lr * gradients[name])\n    return params",
            "Each parameter became lr times",
        ),
        DESCENT + "assign_sub(lr * gradients[name])\n    return params",
        "What type is params",
    ),
    Visit(
        "13_mnist",
        *("13.a", "0.1", "2.3"),
        *("13.4", COMPARISON + ", ddof=1)", "You return the standard deviation of the differences"),
        COMPARISON + ", ddof=1) / np.sqrt(len(gains))",
        "np.unique(writers) lists each writer once",
    ),
]
# A graph that says that it runs, and never ends.
ENDLESS = """def endless():
    tf.numpy_function(lambda: print("begun"), [], [])
    return tf.while_loop(lambda x: x < 1, lambda x: (x / 2,), (0.0,))

tf.function(endless)()"""


def test_the_first_screen_is_the_first_lesson_and_nothing_lies_on_it(notebook):
    notebook.page.goto(notebook.lab.address)
    notebook.panel.locator("h1", has_text="00 · Start here").wait_for()
    notebook.page.locator(".jp-DirListing-item").first.wait_for()
    notebook.page.wait_for_timeout(3000)  # a pop-up comes when all else is there
    assert notebook.page.locator(".Toastify__toast, .jp-Dialog").count() == 0
    for name in notebook.page.locator(".jp-DirListing-itemText > span").all():
        assert name.evaluate("name => name.scrollWidth <= name.clientWidth"), name.inner_text()


def test_a_reload_leaves_the_lesson_in_front_that_was_in_front(notebook):
    notebook.page.goto(notebook.lab.address)
    notebook.panel.locator("h1", has_text="00 · Start here").wait_for()
    notebook.page.locator(".jp-DirListing-item", has_text="02_watching").dblclick()
    notebook.panel.locator("h1", has_text="02 · Watching").wait_for()
    notebook.page.wait_for_timeout(3000)  # until JupyterLab has noted where its windows are
    notebook.page.reload()
    notebook.panel.locator("h1").wait_for()
    notebook.page.wait_for_timeout(3000)
    assert "02 · Watching" in notebook.panel.locator("h1").inner_text()


def test_a_prediction_and_an_exercise_from_a_wrong_answer_to_a_pass_and_back(notebook):
    notebook.open(LESSON)
    start, exercise = notebook.code("start_lesson("), notebook.code("def rate_of_change")
    check = notebook.code('check("00.2"')
    assert "Start with Exercise 00.1" in notebook.run(start)
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
    assert "Nothing has been reset yet" in notebook.run(again)
    notebook.save()
    assert "is back to its original version" in notebook.run(again)
    notebook.menu("File", "Reload Notebook from Disk")
    notebook.page.locator(".jp-Dialog .jp-mod-accept").click()
    expect(exercise).to_contain_text("raise NotImplementedError")
    expect(check.locator(".jp-OutputArea-output")).to_have_count(0)


@pytest.mark.parametrize("visit", VISITS, ids=lambda visit: visit.lesson)
def test_a_lesson_is_worked_through_and_then_runs_as_a_whole(notebook, visit):
    notebook.open(f"work/{visit.lesson}.ipynb")
    open_a_hint_by_keyboard(notebook, visit.hint)
    notebook.run(notebook.code("start_lesson("))
    prediction = notebook.code(f'predict("{visit.prediction}"')
    notebook.type_into(prediction, f'predict("{visit.prediction}", "{visit.predicted}")')
    said = f"you predicted: {visit.predicted} · it is: {visit.truth}"
    assert said in notebook.run(prediction)
    check = notebook.code(f'check("{visit.exercise}"')
    exercise = notebook.code(visit.wrong.splitlines()[0])
    assert "not attempted" in (notebook.run(exercise) + notebook.run(check)).lower()
    for answer, outcome, said in ((visit.wrong, "Failed", visit.said), (visit.right, "Passed", "")):
        notebook.type_into(exercise, answer)
        notebook.run(exercise)
        assert outcome in (shown := notebook.run(check)) and said in shown
    runs_as_a_whole(notebook, visit.lesson)


def test_wrong_predictions_come_back_with_other_numbers_in_a_later_lesson(notebook):
    for kept in notebook.lab.folder.rglob(".course/progress.json"):
        kept.unlink()  # of who was here before
    for lesson, prediction in (("02_watching", "02.a"), ("03_missing_gradients", "03.c")):
        notebook.open(f"work/{lesson}.ipynb")
        notebook.run(notebook.code("start_lesson("))
        predicted = notebook.code(f'predict("{prediction}"')
        notebook.type_into(predicted, f'predict("{prediction}", "a")')
        assert "✗" in notebook.run(predicted)
    notebook.open("work/05_control_flow.ipynb")
    start = notebook.code("start_lesson(")
    notebook.run(start)
    questions = start.locator("details", has_text="Two questions from earlier lessons (a minute)")
    assert questions.get_attribute("open") is None
    questions.locator("summary").focus()
    notebook.page.keyboard.press("Enter")
    expect(questions).to_have_attribute("open", "")
    asked = [next(each for each in variants(i[:2]) if each.id == i) for i in ("02.a", "03.c")]
    shown = questions.locator("pre")
    assert shown.all_text_contents() == [each.program.strip("\n") for each in asked]
    expect(shown.last).to_be_visible()
    right = ", ".join(f'"{each.answer}"' for each in asked)
    text = f"from course_utils import warm_up\n\nwarm_up({right})"
    said = notebook.run(notebook.add_cell_below(start, text))
    assert "✓ 02.a" in said and "✓ 03.c" in said
    notebook.run(start)  # what was just asked is not asked again
    assert not set(shown.all_text_contents()) & {each.program.strip("\n") for each in asked}


def test_the_placement_is_taken_by_keyboard(notebook):
    notebook.open(LESSON)
    start = notebook.code("start_lesson(")
    notebook.run(start)
    cell = notebook.add_cell_below(start, "from course_utils import place, status\n\nplace()")
    assert "Question 1 of at most 12" in notebook.run(cell)
    by_program = {variant.program.strip("\n"): variant for variant in variants("01")}
    for number in (2, 3):
        variant = by_program[cell.locator(".jp-OutputArea pre").last.text_content()]
        cell = notebook.add_cell_below(cell, f'place("{variant.answer}")')
        assert f"Question {number} of at most 12" in notebook.run(cell)
    cell = notebook.add_cell_below(cell, 'place("?")')
    said = notebook.run(cell)
    assert "Start with lesson 02" in said and "you can skip the essentials of 01" in said
    assert "02.1" in notebook.run(notebook.add_cell_below(cell, "status().next.id"))


def test_the_first_lesson_runs_as_a_whole(notebook):
    notebook.open(LESSON)
    open_a_hint_by_keyboard(notebook, "Divide 0.0601 by 0.01")
    notebook.run(notebook.code("start_lesson("))
    runs_as_a_whole(notebook, "00_start_here")


def open_a_hint_by_keyboard(notebook, words):
    hint = notebook.panel.locator("details", has_text=words)
    assert hint.get_attribute("open") is None
    hint.locator("summary").focus()
    notebook.page.keyboard.press("Enter")
    expect(hint).to_have_attribute("open", "")
    expect(hint.get_by_text(words)).to_be_visible()


def runs_as_a_whole(notebook, name):
    notebook.restart_and_run_all()
    for cell in notebook.panel.locator(".jp-CodeCell").all():
        assert re.fullmatch(r"\[\d+\]:", notebook.prompt(cell))
    wrong = notebook.panel.locator("[data-mime-type*='error'], [data-mime-type*='stderr']")
    assert wrong.count() == 0
    assert notebook.figures_are_described(name)


def test_the_terminal_knows_the_course(notebook):
    notebook.open(LESSON)
    notebook.menu("File", "New")
    notebook.page.locator(".lm-Menu-itemLabel", has_text=re.compile("^Terminal$")).click()
    terminal = notebook.page.locator(".jp-Terminal-body")
    terminal.click()
    notebook.page.keyboard.type("course status > part.txt; mv part.txt said.txt\n")
    said = notebook.lab.folder / "said.txt"
    notebook.wait_until(said.exists)
    assert "exercises passed" in said.read_text()


def test_training_says_how_far_it_is_goes_on_after_an_interrupt_and_never_warns(notebook):
    notebook.open("work/13_mnist.ipynb")
    settings = notebook.code("def print_epoch")
    training = notebook.code('print("the first epoch"')
    given = notebook.source("13_mnist", "def print_epoch")
    notebook.run_all_above(training)
    # So many epochs that nobody waits for the last: the interrupt comes before it.
    notebook.type_into(settings, given.replace("else 60", "else 60_000"))
    notebook.run(settings)
    notebook.start(training)
    expect(training).to_contain_text(re.compile(r"epoch \d+ of 60000: loss .*, accuracy .*%"))
    notebook.interrupt(training)
    assert "KeyboardInterrupt" in notebook.shown(training)
    notebook.type_into(settings, given)
    notebook.run(settings)
    for _ in range(2):
        assert notebook.run(training).rstrip().startswith("epoch 60 of 60: loss 0.")
    endless = notebook.add_cell_below(training, ENDLESS)
    notebook.start(endless)
    expect(endless.locator(".jp-OutputArea")).to_contain_text("begun")
    notebook.interrupt(endless)
    assert "KeyboardInterrupt" in notebook.shown(endless)
    notebook.run(training)
    said = notebook.panel.locator("[data-mime-type*='stderr'], [data-mime-type*='error']")
    assert all("KeyboardInterrupt" in text for text in said.all_text_contents())
