"""The authoring path on small lessons of its own, in a folder of its own."""

import ast
import base64
import bz2
import json
import shutil
import subprocess
from pathlib import Path

import nbformat
import pytest

from course_staff.authoring import build as authoring
from course_staff.authoring.build import BuildError, Folders
from course_staff.authoring.keys import (
    OBSERVERS,
    asked_key,
    code_of,
    observed_key,
    without_messages,
)
from course_utils.exercises.references import unpacked

PREDICT = """\
# %% [markdown] part="Part I"
# # 01 · The first tape
#
# **Time**: 5 minutes.

# %%
from course_utils import check

print("ready")

# %% exercise="01.2"
# A tuple.
### BEGIN SOLUTION
shape = (4, 2)
### END SOLUTION

# %%
check("01.2", shape)

# %% [markdown]
# <details><summary>Hint</summary>
# Two numbers.
# </details>
"""
CALLOUT = (
    PREDICT
    + """
# %% [markdown]
# > **Predict**
# >
# > Rows or columns?

# %%
predict("01.a", "")
"""
)
PREDICTIONS = """
from course_utils.exercises import Callout

PREDICTIONS = (Callout("01.a", right="rows", options={"columns": "No.", "rows": "Yes."}),)
"""
EXERCISES = """\
from course_utils.exercises import ValueQuestion

EXERCISES = (
    ValueQuestion(
        id="01.2", title="Shape", kind="predict", points=1, form="Write two numbers", praise="Yes."
    ),
)
"""
MISTAKES = """\
from course_utils.exercises import Table

MISTAKES = {"01.2": Table({(2, 4): "The two numbers are exchanged."}, "Count rows and columns.")}
"""


def checkout(root):
    folders = Folders(root)
    folders.lessons.mkdir()
    folders.table.parent.mkdir(parents=True)
    return folders


@pytest.fixture
def folders(tmp_path):
    """Return a checkout whose only exercise is 01.2."""
    return checkout(tmp_path)


@pytest.fixture(scope="module")
def first_build(tmp_path_factory):
    folders = checkout(tmp_path_factory.mktemp("first"))
    write(folders)
    assert build(folders) == 1
    return folders.root


@pytest.fixture
def built(first_build, tmp_path):
    """Return a checkout that was built."""
    return Folders(shutil.copytree(first_build, tmp_path / "checkout"))


def write(folders, text=PREDICT, name="01_first_tape", mistakes=MISTAKES):
    folder = folders.lessons / name
    folder.mkdir(exist_ok=True)
    (folder / "lesson.py").write_text(text)
    asks = "predict(" in text or "PREDICTIONS" in text or "**Predict**" in text
    (folder / "exercises.py").write_text(EXERCISES + PREDICTIONS * asks)
    (folder / "mistakes.py").write_text(mistakes)


def build(folders):
    lessons = authoring.read_lessons(folders)
    stale = [lesson for lesson in lessons if authoring.needs_build(lesson, folders)]
    authoring.write_table(lessons, folders)
    for lesson in lessons:
        if authoring.needs_observing(lesson, folders):
            authoring.observe(lesson, folders, lambda exercise_id: None)
    authoring.build(stale, folders, lambda lesson: None)
    return len(stale)


def contents(folders):
    paths = [p for f in (folders.notebooks, folders.solutions) if f.exists() for p in f.iterdir()]
    return {path.relative_to(folders.root): path.read_bytes() for path in paths}


def drift(folders):
    lessons = authoring.read_lessons(folders)
    return [str(problem) for problem in authoring.find_drift(lessons, lessons, folders)]


def test_a_lesson_becomes_two_notebooks_and_a_second_build_changes_nothing(built):
    before = contents(built)
    learner = json.loads(before[next(p for p in before if p.parts[0] == "notebooks")])
    worked = json.loads(before[next(p for p in before if p.parts[0] == "solutions")])
    stub, solution = learner["cells"][2], worked["cells"][2]
    assert "".join(stub["source"]) == "# A tuple.\nshape = ..."
    assert "".join(solution["source"]) == "# A tuple.\nshape = (4, 2)"
    assert stub["id"] == solution["id"] == "exercise-01-2"
    assert all(c["outputs"] == [] for c in learner["cells"] if c["cell_type"] == "code")
    assert [c["execution_count"] for c in worked["cells"] if c["cell_type"] == "code"] == [1, 2, 3]
    assert worked["cells"][1]["outputs"][0]["text"] == ["ready\n"]
    assert "timing" not in json.dumps(worked) and "iopub" not in json.dumps(worked)
    stored = built.table.with_name("lesson_01.txt").read_text()
    assert stubs_in(stored)["01.2"] == {
        "cell": "exercise-01-2",
        "notebook": "01_first_tape.ipynb",
        "source": "# A tuple.\nshape = ...",
    }
    assert drift(built) == []
    assert build(built) == 0
    assert contents(built) == before
    check_every_kind_of_drift(built)
    check_that_ids_move_with_their_cells(built, learner)


def check_every_kind_of_drift(folders):
    learner = folders.notebooks / "01_first_tape.ipynb"
    solution = folders.solutions / "01_first_tape.ipynb"
    stored, source = folders.table.with_name("lesson_01.txt"), folders.lessons / "01_first_tape"
    for path, change in (
        (learner, ("Two numbers", "Three numbers")),
        (solution, ("(4, 2)", "(2, 4)")),
        (solution, ('"execution_count": 2', '"execution_count": null')),
        (solution, ('"execution_count": 2', '"execution_count": 7')),
        (folders.table, ("The first tape", "A tape")),
        (stored, ("observed ", "observed 0")),
        (stored, ("asked ", "asked 0")),
        (stored, ("\nstubs ", "\nstubs 0")),
        (source / "exercises.py", ("Shape", "Form")),
        (source / "mistakes.py", ("exchanged", "swapped")),
    ):
        text = path.read_text()
        assert change[0] in text
        path.write_text(text.replace(*change))
        (line,) = drift(folders)
        drifted = stored if path.parent == source else path
        assert line.startswith(str(drifted.relative_to(folders.root)))
        path.write_text(text)
    stray = folders.notebooks / "02_stray.ipynb"
    stray.write_text("{}")
    assert drift(folders) == ["notebooks/02_stray.ipynb: has no lesson"]
    stray.unlink()
    solution.rename(solution.with_suffix(".gone"))
    assert len(drift(folders)) == 1
    solution.with_suffix(".gone").rename(solution)


def check_that_ids_move_with_their_cells(folders, learner):
    write(folders, PREDICT.replace("# %% exercise", "# %%\nx = 1\n\n# %% exercise"))
    (lesson,) = authoring.read_lessons(folders)
    before = [cell["id"] for cell in learner["cells"]]
    after = [cell.id for cell in lesson.notebook.cells]
    assert [i for i in after if i in before] == before and len(after) == len(before) + 1


def test_where_text_alone_changed_nothing_is_executed(built):
    worked = built.solutions / "01_first_tape.ipynb"
    outputs = [cell.get("outputs") for cell in json.loads(worked.read_text())["cells"]]

    def renewed(text):
        write(built, text)
        (lesson,) = authoring.read_lessons(built)
        return authoring.renew_text(lesson, built)

    assert renewed(PREDICT.replace("# Two numbers", "# Three numbers"))
    assert drift(built) == [] and "Three numbers" in worked.read_text()
    assert outputs == [cell.get("outputs") for cell in json.loads(worked.read_text())["cells"]]
    for before, after in (
        ('print("ready")', 'print("set")'),
        ("# A tuple", "# A pair"),
        ("shape = (4, 2)", "#| shape = None\nshape = (4, 2)"),
        ("# %%\nfrom", '# %% tags=["nbval-ignore-output"]\nfrom'),
    ):
        assert not renewed(PREDICT.replace(before, after))
    worked.write_text(worked.read_text().replace('"execution_count": 2', '"execution_count": 9'))
    assert not renewed(PREDICT)


def test_the_builder_names_exercises_and_says_what_a_solution_is(folders):
    heading = "# %% [markdown]\n# ### Exercise 01.2: predict\n\n# %% exercise"
    write(folders, PREDICT.replace("# %% exercise", heading))
    (lesson,) = authoring.read_lessons(folders)
    for notebook in (lesson.notebook, lesson.solution):
        assert "### Exercise 01.2: Shape (predict)" in [cell.source for cell in notebook.cells]
    title, banner = lesson.solution.cells[0].source.split("\n\n")[:2]
    assert title == "# 01 · The first tape" and banner.startswith("> **Solution**\n>\n> ")
    assert "Solution" not in lesson.notebook.cells[0].source
    assert lesson.solution.cells[0].id == lesson.notebook.cells[0].id


BROKEN = {
    "nothing above a region": (
        PREDICT.replace("# A tuple", "x = 1  # a tuple"),
        "lesson.py:13: nothing says what to write here",
    ),
    "region left open": (
        PREDICT.replace("### END SOLUTION\n", ""),
        "lesson.py:13: this solution region is left open",
    ),
    "unknown id": (
        PREDICT.replace('check("01.2"', 'check("01.5"'),
        "lesson.py:18: this check names an unknown exercise; this lesson has 01.2",
    ),
    "no check": (PREDICT.replace('check("01.2", shape)', "shape"), 'no cell calls check("01.2"'),
    "no hint": (PREDICT.replace("<details>", ""), "exercise 01.2 has no hint"),
    "not Python": (
        PREDICT.replace('print("ready")', "print('ready'"),
        "lesson.py:9: this cell is not valid Python",
    ),
    "two cells of one exercise": (
        PREDICT + PREDICT[PREDICT.index("# %% exercise") :],
        "this is the second cell for exercise 01.2",
    ),
    "mistyped marker": (
        PREDICT + "\n# %%\n# A value.\n### Begin solution\nx = 1\n### End solution\n",
        "lesson.py:26: this cell has a misspelled or misplaced marker: use only ### BEGIN SOLUTION",
    ),
    "text above the first cell": ("# A remark.\n" + PREDICT, "must start with a line `# %%`"),
    "text behind a mark": (
        PREDICT + "\n# %% [markdown] Some text\n# and more of it.\n",
        "lesson.py:26: the text after the mark",
    ),
    "another cell marker": (
        PREDICT.replace("# %%\nfrom", "#%%\nfrom"),
        "must start with a line `# %%`",
    ),
    "callout without its cell": (
        CALLOUT.replace('predict("01.a", "")', "print(1)"),
        'lesson.py:26: a cell that contains only `predict("NN.a", "")` must follow this one',
    ),
    "text below a callout": (
        CALLOUT.replace("# > Rows or columns?", "# > Rows or columns?\n#\n# Think."),
        "lesson.py:26: this cell must end with the callout's question",
    ),
    "an id that is not among them": (
        CALLOUT.replace('predict("01.a"', 'predict("01.b"'),
        "lesson.py:31: prediction 01.b is not among PREDICTIONS in exercises.py",
    ),
    "predict without a callout": (
        CALLOUT.replace("> **Predict**", "> **Note**"),
        'lesson.py:31: `predict("NN.a", "")` must be alone in a cell below a `> **Predict**`',
    ),
    "predictions that are not asked": (
        PREDICT + "\n# %%\nPREDICTIONS = 1\n",
        "lesson.py:2: PREDICTIONS contains 01.a, but the text asks none: make them match",
    ),
    "unmarked region": (
        PREDICT.replace(' exercise="01.2"', ""),
        "a solution region and exercise=",
    ),
}


@pytest.mark.parametrize("mistake", BROKEN)
def test_a_mistake_in_a_lesson_is_named_with_its_line(folders, mistake):
    text, message = BROKEN[mistake]
    write(folders, text)
    with pytest.raises(BuildError) as error:
        authoring.read_lessons(folders)
    assert message in str(error.value)
    assert str(folders.root) not in str(error.value)


@pytest.mark.parametrize("mistake", ["nothing above a region", "region left open"])
def test_a_faulty_region_is_one_mistake(folders, mistake):
    write(folders, BROKEN[mistake][0])
    (lesson,) = [authoring.read_lesson(path) for path in folders.lessons.glob("*/lesson.py")]
    assert len(lesson.problems) == 1


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("01_first_tape", "01_second"), "two lessons have the number 01"),
        (("01_first_tape", "1-notes"), "a lesson's folder must be named NN_snake_topic"),
        (("01_first_tape", "02_watching"), "exercise 01.2 is also in 01_first_tape"),
    ],
)
def test_lessons_that_clash_are_named(folders, names, message):
    for name in names:
        write(folders, name=name)
    with pytest.raises(BuildError, match=message):
        authoring.read_lessons(folders)


def test_a_broken_lesson_keeps_nobody_from_building_another(folders):
    write(folders)
    write(folders, BROKEN["no hint"][0].replace("01.2", "02.2"), name="02_watching")
    (lesson,) = authoring.read_lessons(folders, ["01"])
    assert lesson.name == "01_first_tape"
    for numbers in (["02"], ["01", "02"], []):
        with pytest.raises(BuildError, match="02_watching"):
            authoring.read_lessons(folders, numbers)


def test_an_exercise_that_no_lesson_asks_is_named(folders):
    write(folders, PREDICT[: PREDICT.index("# %% exercise")])
    with pytest.raises(BuildError, match="exercise 01.2 is defined, but has no cell"):
        authoring.read_lessons(folders)


FAILING = {
    "a cell raises": (
        PREDICT.replace('print("ready")', "print(tapee)"),
        "01_first_tape (worked), code cell 1, line 7 of lesson.py: "
        "NameError: name 'tapee' is not defined. This lesson's notebooks were not changed.",
    ),
    "the kernel dies": (
        PREDICT.replace('print("ready")', "import os\n\nos._exit(1)"),
        "code cell 1, line 7 of lesson.py: the kernel died",
    ),
    "the solution fails": (
        PREDICT.replace("shape = (4, 2)", "shape = (2, 4)"),
        "the outcome of the solution for exercise 01.2 is 'failed', but must be 'passed'",
    ),
    "the stub passes": (
        PREDICT.replace("shape = (4, 2)", "#| shape = (4, 2)\nshape = (4, 2)"),
        "the outcome of the stub for exercise 01.2 is 'passed', but must be 'not attempted'",
    ),
    "noise": (
        PREDICT.replace('print("ready")', 'import sys\n\nprint("oh", file=sys.stderr)'),
        "code cell 1 must not write to standard error",
    ),
}


@pytest.mark.parametrize("failure", FAILING)
def test_a_lesson_that_fails_is_one_message_and_leaves_the_old_files(folders, failure):
    write(folders)
    folders.notebooks.mkdir()
    folders.solutions.mkdir()
    for folder in (folders.notebooks, folders.solutions):
        (folder / "01_first_tape.ipynb").write_text("old")
    before = contents(folders)
    text, message = FAILING[failure]
    write(folders, text)
    with pytest.raises(BuildError) as error:
        build(folders)
    assert message in str(error.value)
    assert len(str(error.value).splitlines()) == 1
    assert contents(folders) == before


def test_the_stubs_are_there_before_a_notebook_runs_and_a_failure_is_not_forgotten(
    folders, monkeypatch
):
    def fails(lesson, folders, after_cell):
        assert stubs_in(folders.stored(lesson).read_text()) == lesson.stubs()
        raise BuildError("a cell raises")

    write(folders)
    (lesson,) = authoring.read_lessons(folders)
    with monkeypatch.context() as patch:
        patch.setattr(authoring, "_build_lesson", fails)
        with pytest.raises(BuildError):
            build(folders)
    assert not authoring.needs_observing(lesson, folders)
    assert authoring.needs_build(lesson, folders)


def stubs_in(text):
    letters = text.splitlines()[1].removeprefix("stubs ")
    return json.loads(bz2.decompress(base64.b85decode(letters)))


def test_lessons_that_were_not_chosen_are_not_compared(folders):
    write(folders)
    (lesson,) = authoring.read_lessons(folders)
    assert [p.where for p in authoring.find_drift([lesson], [], folders)] == [
        "generated/lessons.json",
    ]


def test_the_documents_give_the_minutes_of_the_lessons(folders):
    write(folders)
    readme, guide = folders.root / "README.md", folders.root / "docs" / "instructors.md"
    guide.parent.mkdir()
    readme.write_text("| 01 | [A](notebooks/01_first_tape.ipynb) | 90 + 5 | learn |\n")
    guide.write_text(
        "| 01 | [A](../notebooks/01_first_tape.ipynb) | | 2 | 90 | 5 |\n| week 1 | 01 | 90 |\n"
    )
    lessons = authoring.read_lessons(folders)
    minutes = lessons[0].times.minutes
    where = [problem.where for problem in authoring.find_drift(lessons, [], folders)]
    assert {"README.md", "docs/instructors.md"} <= set(where)
    authoring.write_table(lessons, folders)
    assert readme.read_text() == (
        f"| 01 | [A](notebooks/01_first_tape.ipynb) | {minutes} | learn |\n"
    )
    assert guide.read_text() == (
        f"| 01 | [A](../notebooks/01_first_tape.ipynb) | | 2 | {minutes} | |\n"
        f"| week 1 | 01 | {minutes} |\n"
    )
    assert authoring.find_drift(lessons, [], folders) == []


def test_what_the_table_of_lessons_needs_is_asked_for(folders):
    write(folders, PREDICT.replace(' part="Part I"', "").replace("# 01 ·", "# 01:"))
    with pytest.raises(BuildError, match="gives no title and no part"):
        authoring.read_lessons(folders)


def test_a_lesson_that_builds_on_none_is_named(folders):
    before = "# **Before you start**: [00](00_start_here.ipynb). **Time**"
    write(folders, PREDICT.replace("# **Time**", before))
    with pytest.raises(BuildError, match="this lesson builds on lesson 00, which does not exist"):
        authoring.read_lessons(folders)


def test_a_prediction_without_sentences_is_refused(folders):
    write(folders, mistakes="MISTAKES = {}")
    (lesson,) = authoring.read_lessons(folders)
    with pytest.raises(BuildError, match="01.2: mistakes.py must have an entry for this exercise"):
        authoring.observe(lesson, folders, lambda exercise_id: None)


def test_a_callout_lists_its_options_and_the_solution_holds_the_right_letter(folders):
    write(folders, CALLOUT)
    (lesson,) = authoring.read_lessons(folders)
    given, worked = ([c.source for c in n.cells[-2:]] for n in (lesson.notebook, lesson.solution))
    options = ">\n> - **a**: columns\n> - **b**: rows"
    question = "> **Predict**\n>\n> Rows or columns?"
    assert given == [f"{question}\n{options}", 'predict("01.a", "")']
    assert worked == [given[0], 'predict("01.a", "b")']


def keys(folders):
    (lesson,) = authoring.read_lessons(folders)
    return observed_key(lesson), asked_key(lesson)


def test_what_is_said_of_predictions_is_not_observed(folders):
    write(folders, CALLOUT)
    exercises = folders.lessons / "01_first_tape" / "exercises.py"
    before = keys(folders)
    exercises.write_text(exercises.read_text().replace("No.", "Never."))
    observed, asked = keys(folders)
    assert observed == before[0] and asked != before[1]
    exercises.write_text(exercises.read_text().replace("Shape", "Form"))
    assert keys(folders)[0] != observed


@pytest.mark.parametrize("module", OBSERVERS, ids=lambda module: module.__name__)
def test_only_docstrings_comments_and_imports_are_left_out_of_a_key(module):
    source = Path(module.__file__).read_text()
    lines = source.splitlines()
    for node in ast.walk(ast.parse(source)):
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if is_text or isinstance(node, ast.Import | ast.ImportFrom):
            for number in range(node.lineno - 1, node.end_lineno):
                lines[number] = ""
    kept = [line for line in lines if line.strip() and not line.lstrip().startswith("#")]
    assert code_of(source).splitlines() == kept


@pytest.mark.parametrize("module", OBSERVERS, ids=lambda module: module.__name__)
def test_a_change_of_what_observes_has_a_lesson_observed_anew(module, folders, monkeypatch):
    write(folders)
    before, source = keys(folders)[0], Path(module.__file__).read_text()

    def key_with(text):
        with monkeypatch.context() as patch:
            changed = folders.root / "changed.py"
            changed.write_text(text)
            patch.setattr(module, "__file__", str(changed))
            key = keys(folders)[0]
        return key

    reworded = f'"""Another docstring."""\n\nimport os\n\n# A comment\n{source}'
    assert key_with(reworded) == before
    assert key_with(f"{source}\n_MORE = 1\n") != before
    # The last function of each decides something.
    assert key_with(source.rpartition("return ")[0] + "return None\n") != before


def test_an_unknown_number_is_said(folders):
    write(folders)
    lessons = authoring.read_lessons(folders)
    with pytest.raises(BuildError, match="There is no lesson '07' to build. Choose from 01."):
        authoring.select(lessons, ["07"])
    assert authoring.select(lessons, ["01"]) == authoring.select(lessons, []) == lessons


def test_a_folder_without_lessons_is_said(folders):
    with pytest.raises(BuildError, match="There are no lessons"):
        authoring.read_lessons(folders)


ANSWERED = "shape = (4, 2)  # mine"


def type_in(folders, old="shape = ...", new=ANSWERED):
    """Type an answer into the learner's notebook, as somebody does who opened it there."""
    path = folders.notebooks / "01_first_tape.ipynb"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    return path


def chosen(folders):
    return authoring.read_lessons(folders)


def test_a_build_writes_nothing_over_an_answer_or_an_added_cell_in_notebooks(built):
    path = type_in(built)
    notebook = nbformat.read(path, as_version=4)
    notebook.cells.insert(1, nbformat.v4.new_code_cell("mine = 1"))
    nbformat.write(notebook, path)
    before = path.read_text()
    said = "notebooks/01_first_tape.ipynb was changed by hand: mine = 1 and exercise 01.2."
    with pytest.raises(BuildError) as refused:
        authoring.require_no_typed_text(chosen(built), built)
    assert str(refused.value).startswith(f"{said}\nNothing was written. To keep that text, move")
    (problem,) = drift(built)
    assert "was changed by hand: mine = 1 and exercise 01.2." in problem
    assert "or run `git stash`" in problem
    assert path.read_text() == before


def test_the_lessons_newer_text_is_nobodys_and_neither_is_an_older_build(built):
    write(built, PREDICT.replace("# Two numbers.", "# Two whole numbers."))
    authoring.require_no_typed_text(chosen(built), built)  # the notebook is of the build before
    type_in(built, "Two numbers.", "Two whole numbers.")
    authoring.require_no_typed_text(chosen(built), built)


def test_what_the_last_commit_gave_is_not_called_typed_beside_what_was(built):
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "All"]):
        me = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
        subprocess.run(["git", *me, *words], cwd=built.root, check=True)
    write(built, PREDICT.replace("# Two numbers.", "# Two whole numbers."))
    type_in(built)
    with pytest.raises(BuildError, match="by hand: exercise 01.2\\."):
        authoring.require_no_typed_text(chosen(built), built)


def test_a_notebook_that_cannot_be_read_is_not_written_over_and_a_missing_one_is(built):
    path = built.notebooks / "01_first_tape.ipynb"
    path.write_text("<<<<<<< HEAD")
    with pytest.raises(BuildError, match="it is no longer a notebook"):
        authoring.require_no_typed_text(chosen(built), built)
    path.unlink()
    authoring.require_no_typed_text(chosen(built), built)


def test_a_lesson_on_mnist_is_not_executed_on_what_stands_in_for_it(folders, monkeypatch):
    loading = PREDICT.replace(
        'print("ready")', "from course_utils import load_mnist\n\nload_mnist()"
    )
    write(folders, loading)
    monkeypatch.setattr(authoring, "mnist_source", lambda: ("stand-in", None))
    with pytest.raises(BuildError, match="01_first_tape: .* COURSE_DATA_DIR"):
        authoring.require_mnist(chosen(folders))
    monkeypatch.setattr(authoring, "mnist_source", lambda: ("download", None))
    authoring.require_mnist(chosen(folders))
    write(folders)
    monkeypatch.setattr(authoring, "mnist_source", lambda: ("stand-in", None))
    authoring.require_mnist(chosen(folders))


def test_a_message_is_changed_without_observing_anything(built, monkeypatch):
    def said():
        (lesson,) = authoring.read_lessons(built)
        line = built.stored(lesson).read_text().splitlines()[-1]
        (table,) = unpacked(line.split(" ", 1)[1])["tables"]
        return [row["sentence"] for row in table["rows"]] + [table["otherwise"]]

    monkeypatch.setattr(authoring, "observed_lines", None)  # nothing calls it
    write(built, mistakes=MISTAKES.replace("exchanged", "swapped").replace("Count", "Count the"))
    (lesson,) = authoring.read_lessons(built)
    assert not authoring.needs_observing(lesson, built) and drift(built) != []
    authoring.reword(lesson, built)
    assert drift(built) == []
    assert said() == ["The two numbers are swapped.", "Count the rows and columns."]


@pytest.mark.parametrize(
    ("before", "after"), [("(2, 4)", "(4, 8)"), ("Table({", "Table({7: 'Seven.', ")]
)
def test_a_change_of_what_is_observed_is_noticed(built, before, after):
    write(built, mistakes=MISTAKES.replace(before, after))
    (lesson,) = authoring.read_lessons(built)
    assert authoring.needs_observing(lesson, built)


def test_how_lines_break_around_a_message_changes_no_key():
    wrong = 'Wrong("You squared `x`. {}", squared)'
    broken = 'Wrong(\n    "You squared "\n    "`x`.",\n    squared)'
    in_parentheses = "A = {1: ('No.'), 2: program}"
    assert without_messages(wrong) == 'Wrong("", squared)'
    assert without_messages(broken) == 'Wrong("",\n    squared)'
    assert without_messages(in_parentheses) == in_parentheses
