"""Three versions of a notebook: what a learner wrote is never lost, whatever either side did."""

import copy
import os

import nbformat
from hypothesis import given, settings
from hypothesis import strategies as st
from nbformat import NotebookNode

from course_utils.workspace import merging

# More, once in a while: COURSE_EXAMPLES=2000 pytest tests/course/test_merging.py
settings.register_profile(
    "notebooks", deadline=None, max_examples=int(os.environ.get("COURSE_EXAMPLES", "100"))
)
settings.load_profile("notebooks")

WORDS = st.text("abcdefgh ", min_size=1, max_size=12)


def merged(base, mine, new):
    result, changes = merging.merged(base, mine, new)
    return nbformat.from_dict(result), changes


def cell(kind, source, own_id, exercise=None):
    fields = {"cell_type": kind, "source": source, "id": own_id, "metadata": {}}
    if exercise:
        fields["metadata"]["exercise"] = exercise
    if kind == "code":
        fields |= {"outputs": [], "execution_count": None}
    return nbformat.from_dict(fields)


def notebook(*cells):
    book = nbformat.v4.new_notebook(cells=[copy.deepcopy(each) for each in cells])
    book.metadata["course"] = {"given": str(abs(hash(tuple(c.source for c in cells))))}
    book.nbformat_minor = 5
    return book


GIVEN = notebook(
    cell("markdown", "# A lesson", "a"),
    cell("code", "start_lesson('01')", "b"),
    cell("markdown", "### Exercise 01.1\n\nWrite a function that doubles.", "c"),
    cell("code", "def double(x):\n    raise NotImplementedError", "exercise-01-1", "01.1"),
    cell("code", "check('01.1', double)", "d"),
    cell("markdown", "Some explanation that is long enough to be recognised.", "e"),
    cell("code", "print(double(2))", "f"),
)


def changed(book, number, source=None, **fields):
    book = copy.deepcopy(book)
    book.cells[number].update({"source": source, **fields} if source is not None else fields)
    return book


def sources(book):
    return [each.source for each in book.cells]


ANSWER = "def double(x):\n    return 2 * x"
ANSWERED = changed(GIVEN, 3, ANSWER)


def test_an_untouched_notebook_becomes_exactly_the_new_one():
    new = changed(GIVEN, 5, "Some explanation that is now right, and long enough.", id="e2")
    new.cells.insert(2, cell("markdown", "A new section", "n"))
    new.cells.append(new.cells.pop(1))
    result, changes = merged(GIVEN, GIVEN, new)
    assert nbformat.writes(result) == nbformat.writes(new)
    assert {each.what for each in changes} == {"new", "updated"}


def test_an_answer_stays_while_the_statement_around_it_becomes_the_new_one():
    statement = "### Exercise 01.1\n\nWrite a function that doubles a tensor."
    result, changes = merged(GIVEN, ANSWERED, changed(GIVEN, 2, statement, id="c2"))
    assert sources(result)[2:5] == [statement, ANSWER, "check('01.1', double)"]
    assert [(each.what, each.cell) for each in changes] == [("updated", "### Exercise 01.1")]


def test_where_both_changed_a_cell_the_new_one_stands_below_as_text_that_never_runs():
    new = changed(GIVEN, 3, "def double(x: int) -> int:\n    raise NotImplementedError")
    result, changes = merged(GIVEN, ANSWERED, new)
    assert sources(result)[3] == ANSWER
    below = result.cells[4]
    assert below.cell_type == "markdown" and new.cells[3].source in below.source
    assert below.source.startswith("**This cell has been corrected. Your version is above")
    assert [(each.what, each.cell) for each in changes] == [
        ("kept in your version, with the correction below", "exercise 01.1")
    ]
    again, changes = merged(new, result, new)
    assert nbformat.writes(again) == nbformat.writes(result) and not changes


def test_a_correction_of_a_demonstration_that_the_learner_changed_does_not_run_either():
    mine = changed(GIVEN, 6, "print(double(5))")
    new = changed(GIVEN, 6, "print(double(3.0))", id="f2")
    result, _ = merged(GIVEN, mine, new)
    assert [c.source for c in result.cells if c.cell_type == "code"][-1] == "print(double(5))"
    assert "print(double(3.0))" in result.cells[-1].source


def test_outputs_stay_where_the_code_stays_and_go_with_code_that_was_corrected():
    output = nbformat.v4.new_output("stream", text="4\n")
    mine = changed(changed(GIVEN, 6, outputs=[output], execution_count=3), 1, outputs=[output])
    new = changed(GIVEN, 1, "start_lesson('01')  # corrected", id="b2")
    result, _ = merged(GIVEN, mine, new)
    assert result.cells[6].outputs == [output] and result.cells[6].execution_count == 3
    assert result.cells[1].outputs == []


def test_what_the_learner_added_deleted_and_moved_stays_so():
    mine = copy.deepcopy(ANSWERED)
    mine.cells.insert(4, cell("code", "double(21)", "mine"))
    del mine.cells[1]
    mine.cells.insert(0, mine.cells.pop())  # the last cell goes to the top
    new = changed(GIVEN, 5, "Some explanation that is long enough to be recognised!", id="e2")
    result, changes = merged(GIVEN, mine, new)
    assert sources(result) == [
        "print(double(2))",
        "# A lesson",
        GIVEN.cells[2].source,
        ANSWER,
        "double(21)",
        "check('01.1', double)",
        new.cells[5].source,
    ]
    assert [each.what for each in changes] == ["updated"]


def test_a_cell_that_the_lesson_gave_up_goes_unless_the_learner_wrote_in_it():
    new = copy.deepcopy(GIVEN)
    del new.cells[5:]
    assert len(merged(GIVEN, GIVEN, new)[0].cells) == 5
    mine = changed(GIVEN, 6, "print(double(2))\n# my note")
    result, changes = merged(GIVEN, mine, new)
    assert sources(result)[-1] == "print(double(2))\n# my note"
    assert "removed from the lesson, but kept in your copy" in {each.what for each in changes}


def test_a_notebook_of_an_editor_that_keeps_no_ids_keeps_its_answers():
    mine = copy.deepcopy(ANSWERED)
    mine.nbformat_minor = 4
    for each in mine.cells:
        del each["id"]
    new = changed(GIVEN, 0, "# A lesson, renamed", id="a2")
    result, _ = merged(GIVEN, mine, new)
    assert sources(result) == ["# A lesson, renamed", *sources(ANSWERED)[1:]]
    nbformat.validate(result)


def test_a_copy_of_an_answers_cell_is_the_learners_own():
    mine = copy.deepcopy(ANSWERED)
    mine.cells.insert(4, changed(ANSWERED, 3, "def double(x):\n    return x + x", id="z").cells[3])
    result, _ = merged(GIVEN, mine, changed(GIVEN, 0, "# A lesson, renamed", id="a2"))
    assert sources(result)[3:5] == [ANSWER, "def double(x):\n    return x + x"]


def test_the_settings_that_an_editor_wrote_stay():
    mine = copy.deepcopy(GIVEN)
    mine.metadata["language_info"] = {"version": "3.12"}
    mine.cells[0].metadata["collapsed"] = True
    new = changed(GIVEN, 0, "# A lesson, renamed", id="a2")
    new.cells[0].metadata["tags"] = ["top"]
    result, _ = merged(GIVEN, mine, new)
    assert result.metadata["language_info"] == {"version": "3.12"}
    assert result.cells[0].metadata == {"collapsed": True, "tags": ["top"]}
    assert result.metadata["course"] == new.metadata["course"]


@st.composite
def edited(draw, who):
    """Draw what an author or a learner makes of the notebook: any edits, in any order."""
    book = copy.deepcopy(GIVEN)
    lines = WORDS.map(lambda words: f"{who}'s {words}")
    for step in range(draw(st.integers(0, 6))):
        kind = draw(st.sampled_from(["write", "add", "delete", "move", "retype", "copy"]))
        here = draw(st.integers(0, max(0, len(book.cells) - 1)))
        if kind == "add" or not book.cells:
            added = cell(draw(st.sampled_from(["code", "markdown"])), draw(lines), f"{who}{step}")
            book.cells.insert(here, added)
        elif kind == "delete":
            del book.cells[here]
        elif kind == "move":
            there = draw(st.integers(0, len(book.cells) - 1))
            book.cells.insert(there, book.cells.pop(here))
        elif kind == "copy":
            twin = copy.deepcopy(book.cells[here])
            twin["id"] = f"{who}{step}"
            if who == "author":
                twin.metadata.pop("exercise", None)
            book.cells.insert(here, twin)
        else:
            one = book.cells[here]
            one["source"] = f"{one.source}\n{draw(lines)}" if kind == "write" else draw(lines)
            if who == "author" and "exercise" not in one.metadata:
                one["id"] = f"{who}{step}"  # as ids of the lessons change with the text
    return notebook(*book.cells)


def lines_of(cells):
    return [line for each in cells for line in each.source.splitlines()]


def written(mine):
    """Return the lines of cells that are not, as they stand, among those that were given."""
    given = {(c.cell_type, c.source) for c in GIVEN.cells}
    return lines_of(c for c in mine.cells if (c.cell_type, c.source) not in given)


def check_merge(mine, new):
    result, changes = merged(GIVEN, mine, new)
    nbformat.validate(result)
    assert len({each.id for each in result.cells}) == len(result.cells)
    there = lines_of(result.cells)
    for line in written(mine):
        assert there.count(line) >= 1, line
    again, changes = merged(new, result, new)
    assert nbformat.writes(again) == nbformat.writes(result)
    assert not changes
    return result


@given(mine=edited("learner"), new=edited("author"))
def test_no_line_that_a_learner_wrote_is_lost_and_twice_is_once(mine, new):
    check_merge(mine, new)


@given(new=edited("author"))
def test_an_untouched_notebook_becomes_whatever_the_new_one_is(new):
    assert nbformat.writes(merged(GIVEN, GIVEN, new)[0]) == nbformat.writes(new)


@given(mine=edited("learner"))
def test_without_a_correction_nothing_changes(mine):
    result, changes = merged(GIVEN, mine, GIVEN)
    assert sources(result) == sources(mine) and not changes


@given(mine=edited("learner"), first=edited("author"), second=edited("author"))
def test_of_two_corrections_in_a_row_neither_loses_a_line(mine, first, second):
    once = check_merge(mine, first)
    twice, _ = merged(first, once, second)
    there = lines_of(twice.cells)
    assert all(line in there for line in written(mine))


def test_what_is_returned_shares_nothing_with_what_was_given():
    result, _ = merged(GIVEN, ANSWERED, GIVEN)
    result.cells[3].metadata["changed"] = True
    assert isinstance(result, NotebookNode) and "changed" not in GIVEN.cells[3].metadata
