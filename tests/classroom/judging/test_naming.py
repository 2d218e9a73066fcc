"""Wrong answers that nothing explains: grouped by what they did, named once, told to everybody."""

import json
import shutil
import subprocess
import sys

import pytest
from handed_in import RIGHT, ROOT, grade, notebook
from typer.testing import CliRunner

from course_staff.classroom import grading
from course_staff.classroom.judging import naming
from course_staff.classroom.judging.behaviors import Behavior, Taught
from course_staff.classroom.judging.naming import NamingError, gallery_entry, groups_in, name_groups
from course_staff.classroom.sandbox.cells import read_cells
from course_staff.classroom.sandbox.limits import Limits
from course_utils.cli import app
from course_utils.exercises.sentences import Wrong

LIMITS = Limits(cell_seconds=5.0, check_seconds=3.0, total_seconds=20.0, memory=600)
PUZZLING = "def slope(x):\n    return 3 * x**2 - 2 + 0.125 * x"
CLASS = {
    "ada": PUZZLING,
    "bob": "def slope(x):\n    square = x * x\n    return square * 3 - 2 + x / 8",
    "cyd": "def slope(x):\n    return 7.5 / x",
    "dan": "def slope(x):\n    return x['loss']",
    "eve": "def slope(x):\n    values = x\n    return values['loss']",
    "fay": RIGHT["01.1"],
    "gil": "def slope(x):\n    return 0.0",
    "jan": "def slope(x):\n    return 5 * (3 * x**2 - 2)",
    "kim": "def slope(x):\n    return 15 * x**2 - 10",
    "leo": "def slope(x):\n    return [[x, 2 * x]]",
}


@pytest.fixture(scope="module")
def graded(tmp_path_factory, one_server):
    root = tmp_path_factory.mktemp("class")
    for student, program in CLASS.items():
        path = root / "submitted" / student / "01_first_tape.ipynb"
        path.parent.mkdir(parents=True)
        path.write_bytes(notebook("01", RIGHT | {"01.1": program}))
    grade(root / "submitted", root / "results", jobs=2, limits=LIMITS)
    return root / "submitted", root / "results"


def test_what_behaves_alike_is_one_group_with_its_shortest_program(graded):
    found = {tuple(group.students): group for group in groups_in(graded[1])}
    assert {("ada", "bob"), ("dan", "eve"), ("cyd",)} <= found.keys()
    assert not any("fay" in students for students in found)
    assert found["ada", "bob"].shortest.program == PUZZLING
    assert "should be" in found["ada", "bob"].shortest.message
    sizes = [len(group.students) for group in groups_in(graded[1])]
    assert sizes == sorted(sizes, reverse=True)


def test_the_class_page_shows_the_ids_of_the_groups(graded):
    grade(*graded, limits=LIMITS)
    page = (graded[1] / "class.html").read_text(encoding="utf-8")
    assert all(group.id in page for group in groups_in(graded[1]))


def test_each_notebook_is_parsed_once_for_all_that_is_asked_of_it(graded, monkeypatch):
    parsed = []

    def noted(data):
        parsed.append(data)
        return read_cells(data)

    monkeypatch.setattr(grading, "read_cells", noted)
    graded_now = grade(*graded, limits=LIMITS)
    assert graded_now.groups and len(parsed) == len(set(parsed)) == len(CLASS)


def test_an_answer_that_is_told_a_factor_or_its_form_alone_is_grouped_too(graded):
    found = {tuple(group.students): group.shortest.message for group in groups_in(graded[1])}
    assert "5 times too large" in found["jan", "kim"]
    assert ("leo",) in found
    assert not any("gil" in students for students in found)  # the gallery knows it


def test_a_named_group_is_told_at_the_next_grading_and_nothing_runs_again(graded):
    submitted, results = graded
    group = next(g for g in groups_in(results) if "ada" in g.students)
    said = "An eighth of x is added. Take it away."
    assert name_groups(results, [group.id], "an eighth more", said)[0] == ["ada", "bob"]
    other = next(g for g in groups_in(results) if "cyd" in g.students)
    with pytest.raises(NamingError, match="already has a mistake named"):
        name_groups(results, [other.id], "an eighth more", said)
    late = submitted / "zoe" / "01_first_tape.ipynb"
    late.parent.mkdir()
    late.write_bytes(notebook("01", RIGHT | {"01.1": PUZZLING.replace("0.125 * x", "x * 0.125")}))
    again = grade(submitted, results, jobs=2, limits=LIMITS)
    assert again.run == 1
    told = {r.student: r for r in again.counting if r.exercise == "01.1"}
    for student in ("ada", "bob", "zoe"):
        assert (told[student].mistake, told[student].message) == ("an eighth more", said)
    assert told["cyd"].mistake == "unexplained"
    assert told["kim"].mistake == "constant factor"
    assert not any("ada" in group.students for group in groups_in(results))


def test_a_name_and_a_sentence_can_be_corrected_before_and_after_grading(graded, tmp_path):
    submitted, results = graded[0], tmp_path / "results"
    shutil.copytree(graded[1], results)
    group = next(g for g in groups_in(results) if "cyd" in g.students)
    name_groups(results, [group.id], "dividd", "You divid by x.")
    students, _ = name_groups(results, [group.id], "divided", "You divided by x.")
    assert students == ["cyd"]
    grade(submitted, results, limits=LIMITS)
    assert group.id not in {each.id for each in groups_in(results)}
    students, _ = name_groups(results, [group.id], "divided", "You divide by x.")
    assert students == []
    rows = grade(submitted, results, limits=LIMITS).counting
    (row,) = (r for r in rows if (r.student, r.exercise) == ("cyd", "01.1"))
    assert (row.mistake, row.message) == ("divided", "You divide by x.")


def test_what_is_kept_is_told_to_the_next_class(graded, tmp_path, monkeypatch):
    lessons = tmp_path / "lessons"
    shutil.copytree(ROOT / "lessons" / "01_first_tape", lessons / "01_first_tape")
    for module in (grading, naming):
        monkeypatch.setattr(module, "lessons_folder", lambda: lessons)
    group = next(g for g in groups_in(graded[1]) if "cyd" in g.students)
    name_groups(graded[1], [group.id], "divided", "You divide by x. Ask the tape.", keep=True)
    (line,) = (lessons / "01_first_tape" / "learned.jsonl").read_text().splitlines()
    assert json.loads(line)["program"] == CLASS["cyd"]
    path = tmp_path / "submitted" / "hal" / "01_first_tape.ipynb"
    path.parent.mkdir(parents=True)
    answer = "def slope(x):\n    half = 3.75 / x\n    return half + half"
    path.write_bytes(notebook("01", RIGHT | {"01.1": answer}))
    (row, *_) = grade(tmp_path / "submitted", tmp_path / "results", limits=LIMITS).counting
    assert (row.mistake, row.message) == ("divided", "You divide by x. Ask the tape.")


def test_a_kept_mistake_is_printed_as_an_entry_of_the_gallery():
    program = "import math\n\n\ndef slope(x):\n    # half\n    return math.pi * 7.5 / x\n"
    text = gallery_entry(
        [Taught("01.1", "divided: x's", 'You "divide" by x.', program, Behavior(0, []))]
    )
    function, entry = text.rsplit("\n\n\n", 1)
    names = {"Wrong": Wrong}
    exec(function, names)
    assert set(names) == {"Wrong", "__builtins__", "learned_01_1_divided_x_s"}
    ((name, wrong),) = eval(f"{{{entry}}}", names).items()
    assert (name, wrong.sentence) == ("divided: x's", 'You "divide" by x.')
    gallery = f'{function}\n\n\nGALLERY = {{\n    "01.1": {{\n{entry}\n    }}\n}}\n'
    command = [sys.executable, "-m", "ruff", "format", "--check", "--line-length", "100", "-"]
    subprocess.run(command, input=gallery, text=True, check=True)
    assert wrong.programs[0](7.5) == pytest.approx(3.14159, abs=1e-5)


def test_a_program_that_only_a_notebook_can_read_is_printed_as_it_is():
    program = "%time\ndef slope(x):\n    return x"
    text = gallery_entry([Taught("01.1", "timed", "Ask the tape.", program, Behavior(0, []))])
    assert "    %time\n    def slope(x):" in text and text.endswith("        ),")


def test_several_programs_of_a_mistake_are_one_entry():
    programs = ["def slope(x):\n    return 0.5 * x", "def slope(x):\n    return x / 4"]
    taught = [
        Taught("01.1", "a part of x", "Ask the tape.", program, Behavior(0, []))
        for program in programs
    ]
    functions, entry = gallery_entry(taught).rsplit("\n\n\n", 1)
    names = {"Wrong": Wrong}
    exec(functions, names)
    (wrong,) = eval(f"{{{entry}}}", names).values()
    assert [program(8.0) for program in wrong.programs] == [4.0, 2.0]


def test_groups_named_together_are_told_and_kept_together(graded, tmp_path, monkeypatch):
    lessons = tmp_path / "lessons"
    shutil.copytree(ROOT / "lessons" / "01_first_tape", lessons / "01_first_tape")
    monkeypatch.setattr(naming, "lessons_folder", lambda: lessons)
    found = {group.students[0]: group.id for group in groups_in(graded[1])}
    ids = [found["dan"], found["cyd"], found["dan"]]
    students, taught = name_groups(graded[1], ids, "no tape", "Ask the tape.", keep=True)
    assert students == ["cyd", "dan", "eve"]
    lines = (lessons / "01_first_tape" / "learned.jsonl").read_text().splitlines()
    assert [json.loads(line)["program"] for line in lines] == [one.program for one in taught]
    assert len(lines) == 2


def test_a_program_that_needs_other_cells_is_not_kept(graded, monkeypatch):
    monkeypatch.setattr(naming, "observed_in_sandbox", lambda *a: {"raised": "NameError"})
    group = next(g for g in groups_in(graded[1]) if "dan" in g.students)
    with pytest.raises(NamingError, match="behaves differently"):
        name_groups(graded[1], [group.id], "keyed", "x is one number.", keep=True)


def test_what_cannot_be_told_is_refused_with_a_reason(graded, tmp_path):
    results = graded[1]
    group = next(g for g in groups_in(results) if "cyd" in g.students)
    for name, sentence, reason in (
        ("", "Fix it.", "has no name"),
        ("a name", "", "one to three sentences"),
        ("a name", "No full stop", "one to three sentences"),
        ("a name", "One. Two. Three. Four.", "one to three sentences"),
    ):
        with pytest.raises(NamingError, match=reason):
            name_groups(results, [group.id], name, sentence)
    with pytest.raises(NamingError, match="has no group '01.1-none'"):
        name_groups(results, ["01.1-none"], "a", "B.")
    with pytest.raises(NamingError, match="contains no results"):
        groups_in(tmp_path)


def test_the_command_shows_groups_and_names_one(graded):
    results = graded[1]
    shown = CliRunner().invoke(app, ["mistakes", str(results)])
    assert shown.exit_code == 0, shown.output
    assert "jan, kim" in shown.output and "    return 15 * x**2 - 10" in shown.output
    group = next(g for g in groups_in(results) if "jan" in g.students)
    options = ["--group", group.id, "--name", "keyed", "--sentence", "x is one number, no dict."]
    named = CliRunner().invoke(app, ["mistakes", str(results), *options])
    assert named.exit_code == 0 and "jan, kim" in named.output
    shown = CliRunner().invoke(app, ["mistakes", str(results)]).output
    unnamed, _, known = shown.partition("Named in this folder.")
    assert "jan, kim" not in unnamed and f"{group.id} · keyed: x is one number" in known
    half = CliRunner().invoke(app, ["mistakes", str(results), *options[:2]])
    assert half.exit_code == 2
    assert "mistakes.py" not in named.output
    lines = (results / ".grading" / "taught.jsonl").read_text().splitlines()
    assert json.loads(lines[-1])["name"] == "keyed"
