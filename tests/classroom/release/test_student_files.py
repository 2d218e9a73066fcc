"""What students get: that it is complete, that it works, and that no answer can be read in it."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from functools import cache
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from typer.testing import CliRunner

from course_staff.authoring.build import Folders, read_lessons
from course_staff.authoring.regions import BEGIN, END, GIVEN
from course_staff.classroom.release.student_files import ReleaseError, release_files
from course_utils.cli import app
from course_utils.exercises.judging import assess
from course_utils.exercises.question import Question
from course_utils.exercises.references import stored
from course_utils.workspace.curriculum import LESSONS, all_exercises, find_exercise
from course_utils.workspace.output_folder import MARKER

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[3]
IDS = [exercise.id for exercise in all_exercises()]

# Exercises that ask for what a tool of the course computes, with the reason why that is no leak.
TOOLS_THAT_DO_IT: dict[str, str] = {}


@cache
def sources():
    return read_lessons(Folders(ROOT))


@cache
def exercises():
    """Return the source of the lesson of each exercise."""
    return {key: lesson for lesson in sources() for key in lesson.exercises}


def course(*arguments):
    return CliRunner().invoke(app, arguments)


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    """Return a release of every lesson."""
    out = tmp_path_factory.mktemp("release") / "out"
    result = course("release", str(out))
    assert result.exit_code == 0, result.output
    return out


def squeezed(text):
    """Return the text without spaces and the escapes of JSON, so that no layout hides a line."""
    return re.sub(r"\s|\\n|\\(?=[\"'])", "", text)


@cache
def texts_in(folder):
    """Return the text of every file, and of every member of every zip, by its path."""
    texts = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            texts[path.relative_to(folder).as_posix()] = path.read_bytes()
        if path.is_file() and zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                texts |= {f"{path.name}!{name}": archive.read(name) for name in archive.namelist()}
    return {name: squeezed(data.decode("utf-8", "replace")) for name, data in texts.items()}


def visible_text(*lessons):
    """Return what the learners' notebooks of these lessons show, without spaces."""
    return squeezed("\n".join(c.source for lesson in lessons for c in lesson.notebook.cells))


@cache
def all_visible():
    return visible_text(*sources())


ANYBODYS = ("", "returnTrue", "returnFalse", "fromcourse_utilsimportmake_cloud")


def solution_lines(exercise_id):
    """Return the lines of an exercise's region that its notebook does not show, without spaces."""
    lesson = exercises()[exercise_id]
    source = lesson.path.read_text(encoding="utf-8")
    cell = source[source.index(f'exercise="{exercise_id}"') :]
    region = cell[cell.index(BEGIN) : cell.index(END)].splitlines()[1:]
    lines = [squeezed(line) for line in region if not line.strip().startswith(GIVEN)]
    own = visible_text(lesson)
    return [line for line in lines if line not in own and line not in ANYBODYS]


def is_verbatim_tool(name):
    """Tell whether a file is a module of the packages, which holds no solution."""
    return name.startswith(("gradient_tools/", "course_utils/"))


@pytest.mark.parametrize("exercise_id", IDS)
def test_no_line_of_a_solution_can_be_read(release, exercise_id):
    lines = solution_lines(exercise_id)
    kind = find_exercise(exercise_id).kind
    assert lines or kind == "repair", f"its own notebook shows the solution of {exercise_id}"
    # A later lesson may start from what an exercise asked for.
    lines = [line for line in lines if line not in all_visible()]
    for name, text in texts_in(release).items():
        found = [line for line in lines if line in text]
        # A tool may hold one line that a solution holds too, as all of TensorFlow's users write
        # some, but not the solution.
        is_chance = len(found) == 1 < len(lines) or exercise_id in TOOLS_THAT_DO_IT
        assert not found or (is_verbatim_tool(name) and is_chance), (name, found)


@pytest.mark.parametrize("exercise_id", [i for i in IDS if find_exercise(i).kind == "predict"])
def test_no_predicted_value_is_assigned_anywhere(release, exercise_id):
    lesson = exercises()[exercise_id]
    index = lesson.exercises[exercise_id]
    worked = ast.parse(lesson.solution.cells[index].source).body
    answers = [node for node in worked if isinstance(node, ast.Assign)]
    assert answers
    for node in answers:
        name, value = ast.unparse(node.targets[0]), ast.literal_eval(node.value)
        assert f"{name}=..." in texts_in(release)[f"notebooks/{lesson.name}.ipynb"]
        for form in {repr(value), f"{value}", ast.unparse(node.value)}:
            for path, text in texts_in(release).items():
                assert squeezed(f"{name}={form}") not in text, path


@pytest.mark.parametrize("exercise_id", [i for i in IDS if isinstance(find_exercise(i), Question)])
def test_no_sentence_of_a_gallery_can_be_read(release, exercise_id):
    sentences = {mistake["sentence"] for mistake in stored(exercise_id)["mistakes"]}
    assert len(sentences) >= 3
    for name, text in texts_in(release).items():
        for sentence in sentences:
            assert squeezed(sentence) not in text, name


def test_no_wrong_program_is_handed_out(release):
    assert not [name for name in texts_in(release) if "mistakes" in name]


def test_there_is_nothing_for_authors_or_instructors(release):
    parts = {part for path in release.rglob("*") for part in path.relative_to(release).parts}
    forbidden = {"solutions", "lessons", "tests", "benchmarks", "authoring", "classroom", ".git"}
    assert not parts & (forbidden | {".ci", ".github", "__pycache__", ".course", "conftest.py"})
    for name in ("README.md", "Makefile", "pyproject.toml", "environment.yml"):
        text = (release / name).read_text()
        text = text.replace("rm -rf $(VENV) .pytest_cache .ruff_cache", "")
        words = r"solutions|lessons/|tests|pytest|ruff|nbval|author\b|<!--"
        assert not re.search(words, text), name


def test_a_notebook_is_what_its_lesson_gives_and_not_what_somebody_tried(release):
    for lesson in sources():
        given = nbformat.read(release / "notebooks" / f"{lesson.name}.ipynb", as_version=4)
        for cell, source in zip(given.cells, lesson.notebook.cells, strict=True):
            is_relinked = source.cell_type == "markdown" and ".ipynb" in source.source
            assert cell.source == source.source or is_relinked
        assert all(not c.get("outputs") and c.get("execution_count") is None for c in given.cells)
    assert release_files(sources(), sources(), ROOT).keys() | {MARKER} == {
        path.relative_to(release).as_posix() for path in release.rglob("*") if path.is_file()
    }


def test_the_package_is_complete(release):
    project = tomllib.loads((release / "pyproject.toml").read_text())
    whole = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert project["project"]["dependencies"] == whole["project"]["dependencies"]
    assert project["project"]["scripts"] == whole["project"]["scripts"]
    assert set(project["project"]["optional-dependencies"]) == {"course", "gpu"}
    assert set(project) == {"build-system", "project", "tool"}
    for package, patterns in project["tool"]["setuptools"]["package-data"].items():
        if package != "course_staff":
            for pattern in patterns:
                assert list((release / package).glob(pattern)), (package, pattern)
    assert "course_staff" not in (release / "pyproject.toml").read_text()


@pytest.mark.parametrize("number", ["00", LESSONS[-1].name[:2]])
def test_some_lessons_alone_are_whole(tmp_path, number):
    result = course("release", str(tmp_path), "--lessons", number)
    assert result.exit_code == 0, result.output
    given = [lesson.name for lesson in LESSONS if lesson.name[:2] in ("00", number)]
    notebooks = sorted((tmp_path / "notebooks").iterdir())
    assert [path.stem for path in notebooks] == given
    package = tmp_path / "course_utils" / "exercises"
    generated = sorted(path.name for path in (package / "generated").glob("lesson_*"))
    assert generated == [f"lesson_{name[:2]}.{end}" for name in given for end in ("py", "txt")]
    questions = (package / "generated" / f"lesson_{number}.py").read_text()
    assert questions == sources()[int(number)].path.with_name("exercises.py").read_text()
    table = json.loads((package / "generated" / "lessons.json").read_text())
    assert [row["name"] for row in table] == given
    files = [tmp_path / "README.md", *notebooks]
    links = [
        (f, link) for f in files for link in re.findall(r"\]\(([^)#:]+\.\w+)\)", f.read_text())
    ]
    assert len(links) >= len(given)
    for file, link in links:
        # Students work in copies, which do not exist yet.
        place = link.replace("work/", "notebooks/") if file.name == "README.md" else link
        assert (file.parent / place).exists(), (file.name, link)
    assert f"](work/{given[-1]}.ipynb)" in (tmp_path / "README.md").read_text()


def test_a_lesson_that_was_not_built_is_not_handed_out(tmp_path):
    (tmp_path / "solutions").mkdir()
    with pytest.raises(ReleaseError, match="00_start_here.*out of date.*Run `course build 00"):
        release_files(sources(), sources(), tmp_path)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--lessons", "1"), "--lessons was '1'. Write two-digit numbers"),
        (("--lessons", "99"), "there is no lesson 99. Choose from 00"),
        ((), "is not empty, and was not written by `course release`"),
    ],
)
def test_an_expected_mistake_is_a_sentence_and_status_1(tmp_path, arguments, message):
    (tmp_path / "thesis.txt").touch()
    result = course("release", str(tmp_path), *arguments)
    assert result.exit_code == 1
    assert message in result.output and "Traceback" not in result.output
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_zip_holds_the_same(release, tmp_path):
    assert course("release", str(tmp_path / "out.zip")).exit_code == 0
    with zipfile.ZipFile(tmp_path / "out.zip") as archive:
        archive.extractall(tmp_path)
    assert texts_in(tmp_path / "out") == texts_in(release)


# What a student's machine does with it ------------------------------------------------------------

CHECK_ALL = """
import json, linecache, sys
import course_utils, keras, numpy as np, tensorflow as tf
from course_utils import check
results = {"where": course_utils.__file__}
worked = {}  # by lesson: what its solutions so far define, as later parts of a project use it
for exercise_id, answers in json.load(sys.stdin).items():
    results[exercise_id] = []
    for source, name in answers:
        above = worked.setdefault(exercise_id[:2], {})
        namespace = {"tf": tf, "np": np, "keras": keras, **above}
        # As in a notebook, where AutoGraph finds the source of a cell.
        cell = f"<cell {len(linecache.cache)}>"
        linecache.cache[cell] = (len(source), None, source.splitlines(True), cell)
        exec(compile(source, cell, "exec"), namespace)
        result = check(exercise_id, namespace[name])
        results[exercise_id].append([result.outcome, result.message])
        if result.outcome == "passed":
            above.update(namespace)
print(json.dumps(results))
"""


def environment(release, **others):
    kept = {k: v for k, v in os.environ.items() if k != "COURSE_PROGRESS_FILE"}
    paths = os.pathsep.join([str(release), str(release.parent / "installed")])
    return kept | {"PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"} | others


def run_course(release, *arguments):
    command = [sys.executable, "-m", "course_utils", *arguments]
    return subprocess.run(
        command, cwd=release, env=environment(release), capture_output=True, text=True
    )


def answer_name(lesson, exercise_id):
    """Return the name that the lesson's check hands over."""
    calls = re.compile(rf'check\("{exercise_id}", (\w+)\)')
    return next(m[1] for c in lesson.notebook.cells if (m := calls.search(c.source)))


@pytest.fixture(scope="module")
def copy(release, tmp_path_factory):
    """Return a student's own copy, which may be worked in."""
    copy = tmp_path_factory.mktemp("student") / "course"
    assert course("release", str(copy)).exit_code == 0
    install(copy, copy.parent / "installed")
    return copy


def install(release, folder):
    """Write what an installed release says of itself, in place of what is installed here."""
    folder.mkdir()
    program = (
        "import setuptools.build_meta as s, sys; s.prepare_metadata_for_build_wheel(sys.argv[1])"
    )
    project = shutil.copytree(release, folder / "project")
    command = [sys.executable, "-c", program, str(folder)]
    subprocess.run(command, cwd=project, capture_output=True, check=True)
    shutil.rmtree(project)


PLACE = """
from course_utils import place, plot_lesson_map, status
plot_lesson_map()
card = place()
asked = []
while card.questions:
    asked.append(card.questions[0].id[:2])
    card = place(card.questions[0].answer)
print(*sorted(set(asked)))
print(*card.lines[:1])
goals = card.lines[2] if asked else ""
print(place(goal="None").lines[0] if '"None"' in goals else "")
print(*status().summary(), sep=" ")
"""


@pytest.mark.parametrize(
    ("lessons", "asked", "start", "goal"),
    [
        ("00-03", "01 02 03", "You can skip the essentials of 01, 02, 03.", "nothing left to do"),
        ("03,07,11", "03", "Start with lesson 07 · Gradient checking: you can skip the", "nothing"),
        ("11", "", "There are no questions about these lessons. Start with lesson 11 ·", ""),
    ],
)
def test_some_lessons_alone_can_be_mapped_and_placed(tmp_path, lessons, asked, start, goal):
    release = tmp_path / "release"
    assert course("release", str(release), "--lessons", lessons).exit_code == 0
    own = {"COURSE_PROGRESS_FILE": str(tmp_path / "progress.json"), "MPLBACKEND": "agg"}
    result = subprocess.run(
        [sys.executable, "-c", PLACE],
        cwd=release,
        env=environment(release, **own),
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    said = result.stdout.splitlines()[-4:]
    assert said[0] == asked and said[1].startswith(start) and goal in said[2]
    assert "in a day" not in said[3]


@pytest.mark.nightly
def test_every_check_passes_right_answers_and_explains_wrong_ones(copy):
    answers = {}
    for exercise_id, lesson in exercises().items():
        worked, name = (
            lesson.solution.cells[lesson.exercises[exercise_id]],
            answer_name(lesson, exercise_id),
        )
        (given,) = (cell for cell in lesson.notebook.cells if cell.id == worked.id)
        sources = [given.source, worked.source]
        answers[exercise_id] = [(s, name) for s in (*sources, f"{name} = 'a text'")]
    result = subprocess.run(
        [sys.executable, "-c", CHECK_ALL],
        cwd=copy / "notebooks",
        env=environment(copy),
        input=json.dumps(answers),
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    results = json.loads(result.stdout.splitlines()[-1])
    assert results.pop("where") == str(copy / "course_utils" / "__init__.py")
    for exercise_id, ((stub, _), (worked, _), (wrong, message)) in results.items():
        assert (stub, worked, wrong) == ("not attempted", "passed", "failed"), exercise_id
        exercise = find_exercise(exercise_id)
        assert message == assess(exercise, exercise.observe("a text", 1), 1).message
    passed = json.loads((copy / "work" / ".course" / "progress.json").read_text())["exercises"]
    assert set(passed) == set(IDS)


@pytest.mark.nightly
def test_a_released_notebook_runs_and_answers(copy, kernel_settings):
    path = copy / "notebooks" / "00_start_here.ipynb"
    notebook = nbformat.read(path, as_version=4)
    by_id = {cell.id: cell for cell in notebook.cells}
    by_id["exercise-00-1"].source = "steepness = 6"
    by_id["exercise-00-2"].source = "def rate_of_change(f, x, h):\n    return f(x + h) - f(x)"
    resources = {"metadata": {"path": path.parent}}
    client = NotebookClient(notebook, timeout=120, config=kernel_settings, resources=resources)
    client.execute(env=environment(copy))
    shown = {
        cell.source: cell.outputs[-1].data["text/plain"]
        for cell in notebook.cells
        if cell.source.startswith("check(")
    }
    assert shown['check("00.1", steepness)'].startswith("✓ 00.1")
    assert "Divide the growth by" in shown['check("00.2", rate_of_change)']
    assert shown['check("00.3", mean_squared_error)'].startswith("○ 00.3")


@pytest.mark.nightly
def test_the_commands_work_and_only_those_for_students_are_there(copy):
    text = run_course(copy, "--help").stdout
    for command, is_there in (
        ("lab", True),
        ("start", True),
        ("update", True),
        ("status", True),
        ("reset", True),
        ("doctor", True),
        ("build", False),
        ("release", False),
        ("nbgrader", False),
        ("grade", False),
    ):
        assert bool(re.search(rf"^\W*{command}\b", text, re.M)) == is_there, command
    status = run_course(copy, "status")
    assert all(f"{lesson.name[:2]} " in status.stdout for lesson in LESSONS), status.stderr
    assert f"{len(LESSONS)} lessons copied to work" in run_course(copy, "start").stdout
    doctor = run_course(copy, "doctor")
    assert f"all {len(LESSONS)} are in {copy / 'work'}" in doctor.stdout, doctor.stderr
    reset = run_course(copy, "reset", "00.2")
    assert "00.2 is back to its original version" in reset.stdout, reset.stderr


@pytest.mark.nightly
def test_make_knows_what_students_need_and_no_more(copy):
    text = subprocess.run(["make", "help"], cwd=copy, capture_output=True, text=True).stdout
    assert re.findall(r"^  make (\w+) ", text, re.M) == ["help", "setup", "lab", "clean"]
    plan = subprocess.run(["make", "-n", "lab"], cwd=copy, capture_output=True, text=True)
    assert plan.returncode == 0 and ".venv/bin/course lab" in plan.stdout
    assert (
        "-r locks/requirements.lock" in plan.stdout and (copy / "locks/requirements.lock").exists()
    )


@pytest.mark.nightly
def test_more_lessons_unpacked_over_the_first_leave_the_work_alone(tmp_path):
    def unpack(lessons):
        archive = tmp_path / f"{lessons}.zip"
        assert course("release", str(archive), "--lessons", lessons).exit_code == 0
        with zipfile.ZipFile(archive) as opened:
            for member in opened.infolist():  # below one folder, which both share
                name = member.filename.split("/", 1)[1]
                path = tmp_path / "course" / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(opened.read(member))

    unpack("00-01")
    home = tmp_path / "course"
    install(home, tmp_path / "installed")
    assert "2 lessons copied to work" in run_course(home, "start").stdout
    mine = home / "work" / "01_first_tape.ipynb"
    mine.write_text(mine.read_text().replace("raise NotImplementedError", "return 'mine'", 1))
    unpack("00-02")
    assert "02_watching.ipynb: new" in run_course(home, "update").stdout
    assert "return 'mine'" in mine.read_text()
    # Lesson 01 now ends with a link to lesson 02, where it had its name alone.
    assert "](02_watching.ipynb)" in mine.read_text()
    assert "up to date" in run_course(home, "update").stdout
