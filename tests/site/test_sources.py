"""What Sphinx reads: no answer in it, and links that lead somewhere."""

import re
from pathlib import Path

import nbformat
import pytest

from course_staff.site.front import lesson_list, lesson_map, shown
from course_staff.site.glossary import EMPHASIS, terms_of
from course_staff.site.lessons import lesson_page, wrong_answers
from course_staff.site.sources import relinked
from course_utils.exercises.question import ValueQuestion
from course_utils.exercises.references import stored
from course_utils.workspace.curriculum import LESSONS, all_exercises

ROOT = Path(__file__).parents[2]
REPOSITORY = "https://github.com/owner/name"
PAGES = {"docs/guide.md": "guide.md", "notebooks/01_a.ipynb": "lessons/01_a.ipynb"}


def sentences_of(exercise_id):
    return [each["sentence"] for each in stored(exercise_id)["mistakes"]]


@pytest.fixture(scope="module")
def pages():
    return {lesson: lesson_page(lesson, ROOT) for lesson in LESSONS}


def code_cells(page):
    return [cell for cell in page.cells if cell.cell_type == "code"]


def text_of(outputs):
    return "".join(
        output.get("text", "") + "".join(output.get("data", {}).get("text/html", ""))
        for output in outputs
    )


OPENED = r'\n\n<details class="deeper"><summary>[^<]*</summary>(?=\n|$)'


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_every_cell_is_that_of_the_open_notebook(pages, lesson):
    mine = nbformat.read(ROOT / "notebooks" / f"{lesson.name}.ipynb", as_version=4)
    unfolded = [re.sub(OPENED, "", cell.source) for cell in pages[lesson].cells]
    shown = [re.sub(r"^</details>\n\n(?=###)", "", source, flags=re.M) for source in unfolded]
    own = [source for source in shown if source != "</details>"]
    assert own == [cell.source for cell in mine.cells]


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_what_goes_deeper_is_folded_below_each_heading(pages, lesson):
    text = "\n\n".join(c.source for c in pages[lesson].cells if c.cell_type == "markdown")
    _, _, deeper = text.partition("\n## Going deeper\n")
    deeper, _, _ = deeper.partition("\n## ")
    headings = re.findall(r"^###.*$", deeper, re.M)
    assert headings or not lesson.deeper
    parts = re.findall(rf"^###.*{OPENED}", deeper, re.M)
    assert len(parts) == len(headings)
    # No heading is inside a part: as many parts are closed as are opened, before each heading.
    for piece in re.split(r"^###.*$", deeper, flags=re.M)[:-1]:
        assert piece.count("<details") == piece.count("</details>")


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_an_exercise_shows_no_output_and_a_check_only_what_wrong_answers_are_told(pages, lesson):
    cells = code_cells(pages[lesson])
    assert not any(cell.outputs for cell in cells if "exercise" in cell.metadata)
    checks = [cell for cell in cells if cell.source.startswith("check(")]
    assert len(checks) == len(lesson.exercises())
    for cell in checks:
        assert "✗ Failed" in text_of(cell.outputs) and "✓" not in text_of(cell.outputs)


def test_outputs_are_those_of_the_worked_notebooks(pages):
    for lesson, page in pages.items():
        worked = nbformat.read(ROOT / "solutions" / f"{lesson.name}.ipynb", as_version=4)
        pictures = [str(page).count("'image/png'"), str(worked).count("'image/png'")]
        assert pictures[0] == pictures[1], lesson.name


def test_the_truth_of_a_predicted_exercise_is_folded_and_shows_nothing(pages):
    asked = [exercise.id for exercise in all_exercises() if isinstance(exercise, ValueQuestion)]
    assert asked
    folded = 0
    for lesson, page in pages.items():
        for index, cell in enumerate(page.cells):
            if not any(cell.source.startswith(f'check("{each}"') for each in asked):
                continue
            for after in page.cells[index + 1 :]:
                if after.source.startswith("## "):
                    break  # the section ends without showing the truth
                if after.cell_type == "code":
                    is_truth = "hide-input" in after.metadata.get("tags", ())
                    assert is_truth and not after.outputs, (lesson.name, after.source)
                    folded += 1
                    break
    assert folded > len(asked) / 2


def test_what_a_prediction_asks_is_folded(pages):
    folded = 0
    for page in pages.values():
        cells = code_cells(page)
        for cell, after in zip(cells, cells[1:], strict=False):
            if cell.source.startswith("predict("):
                assert "<details>" in text_of(cell.outputs)
                is_open = after.outputs and not after.source.startswith(("predict(", "check("))
                if is_open:
                    assert "hide-output" in after.metadata.tags
                    folded += 1
    assert folded > len(LESSONS)


@pytest.mark.parametrize("exercise_id", [exercise.id for exercise in all_exercises()])
def test_every_exercise_has_the_messages_of_two_wrong_answers(exercise_id):
    assert len(set(wrong_answers(exercise_id))) == 2


def test_a_term_stands_where_it_is_introduced_first(pages):
    terms = terms_of(pages.items())
    assert {"tape", "gradient", "saliency map", "logit"} <= set(terms)
    order = [lesson.name for lesson in LESSONS]
    places = [order.index(term.lesson) for term in terms.values()]
    assert places == sorted(places)
    assert all(f"**{term.name}**" in term.paragraph for term in terms.values())
    text = "".join(" ".join(c.source.split()).lower() for p in pages.values() for c in p.cells)
    assert not [words for words in EMPHASIS if f"**{words}" not in text]
    assert not EMPHASIS & set(terms)


def test_the_map_leads_to_every_lesson_and_says_its_name():
    svg = lesson_map("lessons/")
    for lesson in LESSONS:
        assert f'<a href="lessons/{lesson.name}.html" aria-label="{lesson.number} · ' in svg
    assert "\n" not in svg  # a blank line would end the HTML in Markdown


def test_the_list_leads_to_every_lesson_and_says_its_minutes():
    listed = lesson_list("lessons/")
    for each in LESSONS:
        assert f'<a href="lessons/{each.name}.html">{each.number} · ' in listed
    assert listed.count(" minutes</li>") == len(LESSONS)
    assert "\n" not in listed


def test_what_the_first_page_shows_is_what_is_said_today():
    kept = shown(ROOT)
    (sentence,) = re.findall(r"<div>(The update [^<]*)", kept["SHOWN wrong_answer"])
    assert any(said.startswith(sentence) for said in sentences_of("09.1"))
    assert "course-tape-moves" in kept["SHOWN drawn_tape"]
    assert "Gradient is None" in kept["SHOWN missing_gradient"]
    page = (ROOT / "docs" / "site" / "index.md").read_text(encoding="utf-8")
    assert all(f"<!-- {mark} -->" in page for mark in kept)


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ("[a](../notebooks/01_a.ipynb)", "[a](lessons/01_a.ipynb)"),
        ("[a](guide.md#plan)", "[a](guide.md#plan)"),
        ("[a](https://x.org)", "[a](https://x.org)"),
        ("[a](../LICENSE)", f"[a]({REPOSITORY}/blob/HEAD/LICENSE)"),
        ("![a](tape.png)", "![a](tape.png)"),
    ],
)
def test_links_hold_on_a_page(link, expected):
    assert relinked(link, "docs/guide.md", "guide.md", PAGES, REPOSITORY) == expected


def test_without_a_repository_nothing_leads_there():
    assert relinked("[a](../LICENSE)", "docs/guide.md", "guide.md", PAGES, "") == "a"
