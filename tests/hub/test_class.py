"""A class on a hub, from the first login to the points."""

import csv
import json

import pytest

said = "The hub is tried in a browser: run `make hub-test`."
expect = pytest.importorskip("playwright.sync_api", reason=said).expect
LESSON = "01_first_tape.ipynb"
SENTENCE = "A sentence that came when the lesson was corrected."
SLOPE = """def slope(x):
    x = tf.Variable(x)
    with tf.GradientTape() as tape:
        y = x**3 - 2 * x
    return """


def answer(window, text):
    """Type an answer to 01.1, run it and its check, and return what that says."""
    cell = window.code("def slope")
    window.type_into(cell, text)
    window.run(window.code("def slope"))
    return window.run(window.code('check("01.1"'))


def correct_lesson(path):
    """Change a cell of the lesson as it is given, as a new release would."""
    from course_utils.workspace.originals import read_notebook, seal, text_of

    notebook = read_notebook(path)
    cell = next(c for c in notebook["cells"][1:] if c["cell_type"] == "markdown")
    cell["source"] += f"\n\n{SENTENCE}"
    seal(notebook)
    path.write_text(text_of(notebook), encoding="utf-8")


def saved(window):
    cells = json.loads((window.workspace / LESSON).read_text())["cells"]
    return ["".join(cell["source"]) for cell in cells]


@pytest.mark.timeout(1800)
def test_a_class_works_hands_in_and_is_graded(hub, student):
    ada, bob = (student(name) for name in hub.students)

    # The first login: the first lesson in front, the others in view, and nothing on top.
    ada.log_in()
    ada.panel.locator("h1", has_text="00 · Start here").wait_for()
    expect(ada.page.locator(".jp-DirListing-item", has_text=LESSON)).to_be_visible()
    expect(ada.page.locator(".jp-toast, .Toastify__toast")).to_have_count(0)
    assert ada.workspace.stat().st_uid == (hub.homes / ada.name).stat().st_uid != 0

    # A mistake, which is named, and mended.
    ada.open(LESSON)
    ada.run(ada.code("start_lesson("))
    assert "This is y itself" in answer(ada, SLOPE + "y")
    assert "Passed" in answer(ada, SLOPE + "tape.gradient(y, x)")
    ada.save()

    # Her server is killed at once; at the next login she goes on where she was.
    assert hub.end_processes_of(ada.name) >= 2  # the server and a kernel
    ada.page.goto("about:blank")
    ada.wait_until(lambda: hub.has_noticed_the_end_of(ada.name))
    ada = student(ada.name)
    ada.log_in()
    ada.panel.locator(".jp-Cell").first.wait_for()
    ada.open(LESSON)
    assert "return tape.gradient(y, x)" in ada.code("def slope").text_content()
    assert SLOPE + "tape.gradient(y, x)" in saved(ada)

    # A correction reaches the lesson that was begun.
    given = hub.release / "course_utils" / "workspace" / "given" / "notebooks"
    correct_lesson(given / LESSON)
    ada.open("00_start_here.ipynb")
    assert LESSON in ada.type_command("course update")
    ada.open(LESSON)
    assert SENTENCE in ada.panel.text_content()
    assert SLOPE + "tape.gradient(y, x)" in saved(ada)
    assert "1 of 5 passed here: 01.1" in ada.type_command("course hand-in")
    (first,) = hub.box.iterdir()

    # Another student, who sees neither the one's work nor what was handed in.
    bob.log_in()
    bob.panel.locator("h1", has_text="00 · Start here").wait_for()
    bob.open(LESSON)
    assert SENTENCE in bob.panel.text_content()
    bob.run(bob.code("start_lesson("))
    assert "This is y itself" in answer(bob, SLOPE + "y")
    bob.save()
    for line in (f"cat {ada.workspace / LESSON}", f"ls {hub.box}", f"cat {first}"):
        assert "Permission denied" in bob.type_command(line)
    assert "Operation not permitted" in bob.type_command(f"rm -f {first}")
    assert "0 of 5 passed here" in bob.type_command("course hand-in")
    (own,) = (path for path in hub.box.iterdir() if path.name.startswith(bob.name))
    forged = hub.box / f"{ada.name}_gradienttape_2099-01-01-00-00-00.zip"
    bob.type_command(f"cp {own} {forged} && chmod 640 {forged}")

    # The teacher, in the sandbox.
    said = hub.as_teacher("grade", hub.box, "--lessons", "01", "--out", "results")
    assert f"{forged.name} is named after {ada.name}, but {bob.name} put it there" in said
    assert "again" not in said  # what he put there twice is the same file
    assert "Each notebook ran without a network" in said
    table = (hub.results / "gradebook.csv").read_text(encoding="utf-8-sig")
    rows = {row["student"]: row for row in csv.DictReader(table.splitlines())}
    assert {name: row["01.1"] for name, row in rows.items()} == {ada.name: "2", bob.name: "0"}
    assert [float(rows[name.name]["total"]) > 0 for name in (ada, bob)] == [True, False]
