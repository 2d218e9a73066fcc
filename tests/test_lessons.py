"""The form that every lesson keeps: its opening and closing, its size, its exercises and links."""

import ast
import io
import re
import tokenize
from functools import cache
from itertools import pairwise
from pathlib import Path

import nbformat
import pytest

from course_staff.authoring.sections import deeper_cells
from course_staff.site.glossary import EMPHASIS
from course_utils import predict
from course_utils.workspace.curriculum import LESSONS, ONE_DAY, find_lesson

ROOT = Path(__file__).parents[1]
NAMES = [lesson.name for lesson in LESSONS]
PREDICTIONS = [prediction for lesson in LESSONS for prediction in lesson.predictions()]

# Stored outputs that another machine cannot repeat, by a fragment of the cell, with the reason.
NOT_COMPARED = {
    "start_lesson(": "prints the versions and the device of the machine",
    "load_mnist()": "says where the images came from, and whether they are MNIST",
    "first_loss = ": "prints the loss of the first images, MNIST's or the stand-in's",
    "a cell shows what its last": "names a cell by its number, which the way of running it decides",
    "the last line of a cell is shown": "shows differences as small as their rounding",
    "times the time of": "prints how much longer something took, here and now",
    # Accuracies and figures that differ between MNIST and the stand-in.
    "rate 2e-3 {:.1%}": "accuracies on held-out images",
    "standard error {error:.2f}": "differences of accuracies",
    "number, *train_epoch(order)": "loss and accuracy while it trains",
    "accuracy on the test images: {": "an accuracy",
    "largest entry, all at once": "a gradient of an image of the data set",
    "2 if is_mnist else 20": "counts epochs, fewer for MNIST",
    "show_images(shift_images(": "shows a digit of the data set",
    "confusion = np.zeros": "counts mistakes among the data set's images",
    "losses = tf.nn.sparse_softmax_cross_entropy_with_logits(y_train[held]": "shows mistakes",
    "{row.name:28} {row.verdict}": "verdicts near kinks, which depend on the images",
    '"signs of the gradient": one_step(': "accuracies under attack",
    "fooled = np.flatnonzero": "shows images that were fooled",
    "stronger = several_steps(": "accuracies under attack",
    "curves[name, attack_name] = [": "accuracies under attack",
    "for pieces in (5, 100):": "means over the images",
    "def correlation(": "correlations of the images' maps",
    "def accuracy_without(": "accuracies after pixels were erased",
    "young = train(": "a share of the data set's labels",
    "answers = np.argmax(young(x)": "shows images of the data set",
    "clean = {name": "accuracies",
    "noisy = {name": "accuracies",
    "drawn = artist(": "shows digits that were learned from the data set",
    # Ends of trainings that another processor rounds differently.
    "without_groups = accuracy(": "accuracies of three trainings",
    "plot_points(ax, player": "shows where two trainings ended",
    "{count_modes(player)} of 8": "counts the clouds that a training reached",
    "only the gap": "scores at the end of two trainings",
    "for weight in (0.01, 1.0, 100.0):": "errors at the end of three trainings",
    "network = new_network()": "the error at the end of a training",
    "rods = {}": "errors at the end of two trainings",
    "largest error with Levenberg-Marquardt": "errors at the end of two trainings",
    "error_on_grid = ": "the share of a time",
}


@cache
def read(folder, name):
    return nbformat.read(ROOT / folder / f"{name}.ipynb", as_version=4)


def cells(name, kind, folder="solutions"):
    return [cell for cell in read(folder, name).cells if cell.cell_type == kind]


def prose(name):
    return [cell.source for cell in cells(name, "markdown")]


def test_every_source_has_its_notebooks_and_nothing_is_stray():
    for folder, suffix in (("lessons", ""), ("notebooks", ".ipynb"), ("solutions", ".ipynb")):
        paths = (ROOT / folder).iterdir()
        found = {path.name for path in paths if path.name[0] not in "._"}
        assert found == {f"{name}{suffix}" for name in NAMES}, folder
    for name in NAMES:
        files = {path.name for path in (ROOT / "lessons" / name).glob("*.py")}
        assert files - {"variants.py"} == {
            "lesson.py",
            "exercises.py",
            "mistakes.py",
            "answers.py",
        }


@pytest.mark.parametrize("name", NAMES)
def test_both_notebooks_are_valid(name):
    for folder in ("notebooks", "solutions"):
        nbformat.validate(read(folder, name))


@pytest.mark.parametrize("name", NAMES)
def test_first_cell_says_title_aims_and_time(name):
    lesson = find_lesson(name[:2])
    first = prose(name)[0]
    assert first.startswith(f"# {lesson.number} · {lesson.title}\n")
    assert "**You will learn to**" in first
    assert 3 <= len(re.findall(r"^- ", first, re.M)) <= 4
    assert "**Before you start**" in first
    assert f"**Time**: {lesson.minutes} minutes" in first
    deeper = f", and {lesson.deeper_minutes} more if you go deeper."
    assert (deeper in first) == (lesson.deeper_minutes > 0)


@pytest.mark.parametrize("name", NAMES)
def test_a_solution_says_what_it_is_and_a_learners_notebook_does_not(name):
    assert "> **Solution**\n>\n> " in prose(name)[0]
    assert f"`work/{name}.ipynb`" in prose(name)[0]
    assert "**Solution**" not in cells(name, "markdown", "notebooks")[0].source


@pytest.mark.parametrize("name", NAMES)
def test_second_cell_starts_the_lesson_before_tensorflow(name):
    setup = read("notebooks", name).cells[1]
    assert setup.cell_type == "code"
    start = f'start_lesson("{name[:2]}")'
    assert 0 < setup.source.index(start) < setup.source.index("import tensorflow as tf")


@pytest.mark.parametrize("name", NAMES)
def test_every_code_cell_of_a_solution_was_run_without_error_or_noise(name):
    code = cells(name, "code")
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    for output in (output for cell in code for output in cell.outputs):
        assert output.output_type != "error"
        assert output.get("name") != "stderr"
        assert "/" + "home" not in str(output) and "site-packages" not in str(output)


# What fits into a cell beside JupyterLab's list of files, in a window of 1000 pixels.
WIDTH = 70


@pytest.mark.parametrize("name", NAMES)
def test_a_long_comment_stands_above_its_line(name):
    for cell in cells(name, "code", "notebooks"):
        if "exercise" in cell.metadata:
            continue
        for token in tokenize.generate_tokens(io.StringIO(cell.source).readline):
            is_pragma = re.match("# (noqa|fmt):?", token.string)
            if token.type == tokenize.COMMENT and not is_pragma:
                assert token.end[1] <= WIDTH, token.line


def test_a_lesson_on_one_page_has_the_words_of_its_figures():
    from nbconvert import HTMLExporter

    path = ROOT / "solutions" / "01_first_tape.ipynb"
    page, _ = HTMLExporter(template_name="classic").from_filename(str(path))
    alts = re.findall(r"<img[^>]* alt=\"(.*?)\"", page)
    assert len(alts) >= 2 and all(alt.startswith("Tape of y") for alt in alts)


@pytest.mark.parametrize("name", NAMES)
def test_a_cell_that_takes_something_away_has_made_it_and_so_can_run_again(name):
    for cell in cells(name, "code", "notebooks"):
        for taken in re.findall(r"^\s*(\w+)\.cleanup\(\)", cell.source, re.M):
            assert re.search(rf"^\s*{taken} = ", cell.source, re.M), cell.source


@pytest.mark.parametrize("name", NAMES)
def test_learners_notebooks_have_no_outputs_and_no_solutions(name):
    for cell in cells(name, "code", "notebooks"):
        assert cell.outputs == [] and cell.execution_count is None
        assert "SOLUTION" not in cell.source and "#|" not in cell.source


@pytest.mark.parametrize("name", NAMES)
def test_outputs_that_are_not_compared_have_a_reason(name):
    for cell in cells(name, "code"):
        tags = cell.metadata.get("tags", [])
        assert set(tags) <= {"nbval-ignore-output", "claims"}
        has_reason = any(fragment in cell.source for fragment in NOT_COMPARED)
        assert has_reason == ("nbval-ignore-output" in tags), cell.source


@pytest.mark.parametrize("name", NAMES)
def test_stored_text_is_short_and_holds_no_address_or_object(name):
    for cell in cells(name, "code"):
        for output in cell.outputs:
            text = output.get("text") or output.data["text/plain"]
            assert len(text.splitlines()) <= 8, cell.source
            assert not re.search(r"0x[0-9a-f]{6,}|<tf\.|\[<matplotlib|\[Text", text), cell.source


def lines_to_read(source):
    """Return how many lines a cell has beside comments, docstrings and assertions."""
    skipped = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node):
            node = node.body[0]
        elif not isinstance(node, ast.Assert):
            continue
        skipped |= set(range(node.lineno, node.end_lineno + 1))
    lines = enumerate(source.splitlines(), 1)
    return sum(number not in skipped and bool(re.match(r" *[^# ]", text)) for number, text in lines)


@pytest.mark.parametrize("name", NAMES)
def test_code_cells_are_short_and_figures_few(name):
    code = [c for c in cells(name, "code") if "claims" not in c.metadata.get("tags", [])]
    # The script of the examination, and a project's functions, are as long as such programs are.
    marks = [cell.metadata.get("exercise", "") for cell in code]
    long = [mark == "14.6" or mark.startswith("21.") for mark in marks]
    short = [cell.source for cell, is_one in zip(code, long, strict=True) if not is_one]
    # A comment above its line makes no more of a cell than one at its end.
    code_lines = [re.findall(r"^(?! *#).*$", source, re.M) for source in short]
    assert all(len(lines) <= 20 for lines in code_lines)
    # Beside what a reader may skip; a whole loop or program, once.
    to_read = sorted(lines_to_read(c.source) for c in code[1:] if "exercise" not in c.metadata)
    assert to_read[-2] <= 15 and to_read[-1] <= 18
    figures = [o for cell in code for o in cell.outputs if "image/png" in o.get("data", {})]
    assert len(figures) <= 4


@pytest.mark.parametrize("name", NAMES)
def test_headings_are_few_and_flat(name):
    headings = re.findall(r"^(#+) (.*)$", "\n".join(prose(name)), re.M)
    assert [level for level, _ in headings].count("#") == 1
    assert all(len(level) <= 3 for level, _ in headings)
    closing = (
        "What is wrong with this program?",
        "Checkpoint",
        "Recap",
        "Going deeper",
        "Further reading",
    )
    sections = [title for level, title in headings if level == "##" and title not in closing]
    assert 3 <= len(sections) <= 6, sections


@pytest.mark.parametrize("name", NAMES)
def test_every_exercise_has_its_heading_with_its_name_and_kind(name):
    text = "\n".join(prose(name))
    for exercise in find_lesson(name[:2]).exercises():
        assert f"### Exercise {exercise.id}: {exercise.title} ({exercise.kind})\n" in text
    assert "## Checkpoint" in text and "## Recap" in text
    checkpoint = text.split("## Checkpoint")[1].split("\n## ")[0]
    assert checkpoint.count("<details>") == 3, "three questions to check"


@pytest.mark.parametrize("name", NAMES)
def test_a_prediction_is_a_callout_before_a_cell_that_does_not_give_it_away(name):
    every = read("solutions", name).cells
    for index, cell in enumerate(every):
        if cell.cell_type == "markdown" and "**Predict**" in cell.source:
            assert "> **Predict**\n>\n> " in cell.source
            call, run, *later = [c for c in every[index + 1 :] if c.cell_type == "code"]
            assert call is every[index + 1] and call.source.startswith("predict(")
            assert "assert" not in run.source
            assert any("assert" in c.source for c in later[:3])


@pytest.mark.parametrize("prediction", PREDICTIONS, ids=lambda prediction: prediction.id)
def test_each_answer_to_a_prediction_is_told_its_sentence(prediction):
    for typed, words in (prediction.letters or {x: x for x in prediction.options}).items():
        result = predict(prediction.id, typed)
        assert result.predicted == words
        assert (prediction.options[words] in result.message) == (words != prediction.right)
        assert prediction.options[prediction.right] in result.explanation
    assert prediction.sentence("a word that nobody thinks of") == prediction.otherwise


@pytest.mark.parametrize("prediction", PREDICTIONS, ids=lambda prediction: prediction.id)
def test_a_prediction_stands_open_in_the_notebook_and_right_in_the_solution(prediction):
    name = find_lesson(prediction.id[:2]).name
    given, worked = (
        [c.source for c in cells(name, "code", folder) if f'predict("{prediction.id}"' in c.source]
        for folder in ("notebooks", "solutions")
    )
    assert given == [f'predict("{prediction.id}", "")']
    assert worked == [f'predict("{prediction.id}", "{prediction.answer}")']
    untouched = str(predict(prediction.id, "")) + predict(prediction.id, "")._repr_html_()
    assert "between the quotes" in untouched
    assert not any(s in untouched for s in prediction.options.values())


@pytest.mark.parametrize("name", NAMES)
def test_links_between_files_lead_somewhere(name):
    for target in re.findall(r"\]\(([^)#]+)\)", "\n".join(prose(name))):
        if "://" not in target:
            assert (ROOT / "notebooks" / target).exists(), target


@pytest.mark.parametrize("name", NAMES)
def test_no_demonstration_depends_on_an_answer(name):
    """What an exercise cell defines is used by its check alone."""
    code = cells(name, "code")
    answers = {
        node.name if isinstance(node, ast.FunctionDef) else node.targets[0].id
        for cell in code
        if "exercise" in cell.metadata
        for node in ast.parse(cell.source).body
        if isinstance(node, ast.FunctionDef | ast.Assign)
    }
    assert len(answers) >= len(find_lesson(name[:2]).exercises())
    for cell in code:
        if "exercise" not in cell.metadata and not cell.source.startswith("check("):
            names = {n.id for n in ast.walk(ast.parse(cell.source)) if isinstance(n, ast.Name)}
            assert not names & answers, cell.source


@pytest.mark.parametrize("name", NAMES)
def test_markup_is_what_every_viewer_renders(name):
    text = "\n".join(prose(name))
    assert not re.search(r"<(div|span|font|table|img|style)\b|\[!NOTE\]|!\[", text)
    assert text.count("<details>") == text.count("</details>") == text.count("<summary>")
    assert "!" not in re.sub(r"`[^`]*`|\| ! \|", "", text), "no exclamation marks"


def bound_and_needed(statement):
    """Return the names that a statement of a cell binds, and those that must be there before it."""
    nodes = list(ast.walk(statement))
    stored = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    used = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    functions = [n for n in nodes if isinstance(n, ast.FunctionDef | ast.ClassDef)]
    own = {n.arg for n in nodes if isinstance(n, ast.arg)} | {n.name for n in functions}
    targets = [n.target for n in nodes if isinstance(n, ast.comprehension)]
    own |= {n.id for each in targets for n in ast.walk(each) if isinstance(n, ast.Name)}
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return {statement.name}, used - stored - own
    # In an assignment the value comes first; of the others, what they bind comes before its use.
    if isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Expr):
        return stored, used - own
    return stored, used - stored - own


@pytest.mark.parametrize("name", NAMES)
def test_no_line_in_the_middle_of_a_sentence_begins_a_list(name):
    """A minus that a line begins with is a bullet for Markdown."""
    for text in prose(name):
        for above, line in pairwise(re.sub(r"```.*?```", "", text, flags=re.DOTALL).splitlines()):
            if re.match(r"([-+*]|1[.)]) ", line):
                assert re.match(r"([-+*]|\d+[.)]) |  |$", above), line


@pytest.mark.parametrize("name", NAMES)
def test_no_summary_is_written_in_markdown(name):
    """JupyterLab shows the line that opens an answer as HTML, backticks and all."""
    for text in prose(name):
        for summary in re.findall(r"<summary>(.*?)</summary>", text, re.DOTALL):
            assert not re.search(r"`|\*\*|\]\(|\$", summary), summary


@pytest.mark.parametrize("name", NAMES)
def test_nothing_needs_what_goes_deeper(name):
    every = read("solutions", name).cells
    deeper = deeper_cells(every)
    loose = {}  # names bound deeper, and not bound in the essentials since
    for index, cell in enumerate(every):
        if cell.cell_type != "code":
            continue
        for statement in ast.parse(cell.source).body:
            bound, needed = bound_and_needed(statement)
            if isinstance(statement, ast.Import | ast.ImportFrom):
                bound = {each.asname or each.name for each in statement.names}
            if index in deeper:
                loose |= dict.fromkeys(bound, cell.source)
            else:
                assert not needed & loose.keys(), (needed & loose.keys(), cell.source)
                loose = {x: source for x, source in loose.items() if x not in bound}


TERM = re.compile(r"(?<!\*)\*\*([a-z][\w -]+)\*\*(?!\*)")


def test_no_essential_text_needs_a_term_that_is_introduced_deeper():
    introduced, core = {}, []
    for name in NAMES:
        every = read("notebooks", name).cells
        deeper = deeper_cells(every)
        for index, cell in enumerate(every):
            if cell.cell_type != "markdown":
                continue
            if index in deeper:
                introduced |= {term: name for term in TERM.findall(cell.source)}
            elif not cell.source.startswith("## Further reading"):
                core.append((name, cell.source))
    bold = {term for _, source in core for term in TERM.findall(source)}
    for term, where in introduced.items():
        if term not in bold:
            used = [name for name, source in core if re.search(rf"\b{term}\b", source)]
            assert not used, f"{term} is introduced in a deeper section of {where}, used in {used}"


# What everybody has met who has trained a network with Keras.
KNOWN_FROM_KERAS = {
    "adam",
    "batch",
    "convolution",
    "gradient descent",
    "graph",
    "learning rate",
    "regression",
}


def test_the_course_in_a_day_uses_no_term_of_a_lesson_that_it_leaves_out():
    introduced, path = {}, {}
    for name in NAMES:
        every = read("notebooks", name).cells
        deeper = deeper_cells(every)
        texts = [
            cell.source
            for index, cell in enumerate(every)
            if cell.cell_type == "markdown" and index not in deeper
        ]
        if name[:2] in ONE_DAY:
            path[name] = "\n".join(texts).split("## Further reading")[0]
        else:
            introduced |= {term: name for text in texts for term in TERM.findall(text)}
    ours = {term for text in path.values() for term in TERM.findall(text)}
    for term in introduced.keys() - ours - KNOWN_FROM_KERAS - EMPHASIS:
        # A lesson may announce a term that comes later in the course.
        used = [
            name
            for name, text in path.items()
            if name > introduced[term] and re.search(rf"\b{term}s?\b", text)
        ]
        assert not used, f"{term} is introduced in {introduced[term]}, used in {used}"


@pytest.mark.parametrize("name", NAMES)
def test_a_recap_ends_with_a_line_to_remember(name):
    recap = "\n".join(prose(name)).split("## Recap")[1]
    (line,) = re.findall(r"^\*\*To remember\*\*: (.+\.)$", recap, re.M)
    assert len(line.split()) <= 20, line
