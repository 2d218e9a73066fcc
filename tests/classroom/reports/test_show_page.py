"""The page for the projector: what it says of a class, and that nobody can be recognised on it."""

import re
from collections import Counter
from dataclasses import replace

import pytest

from course_staff.classroom.judging.behaviors import Behavior, Taught
from course_staff.classroom.judging.results import Grading, Row
from course_staff.classroom.reports.pages import write_results
from course_staff.classroom.reports.show_page import FEWEST, FEWEST_OF_ALL, values_to_show
from course_utils.exercises.references import stored
from course_utils.exercises.values import known_values
from course_utils.workspace.curriculum import find_exercise, find_lesson

EXERCISE = find_exercise("01.1")
(KNOWN, OTHER, *_) = stored("01.1")["mistakes"]


def row(student, outcome="passed", mistake="", message="Said to one."):
    place = f"{student}/secret place.ipynb"
    return Row(
        student, "01", "01.1", EXERCISE.title, outcome, message, 1, 2, place, "noon", True, mistake
    )


def shown(rows, predicted=None, taught=()):
    return values_to_show(Grading(rows=list(rows), predicted=predicted or {}, taught=list(taught)))


def share(passed, others):
    rows = [row(f"p{n}") for n in range(passed)]
    rows += [row(f"o{n}", "not attempted") for n in range(others)]
    ((_, (line,)),) = shown(rows)["lessons"]
    return line["share"]


@pytest.mark.parametrize(
    ("passed", "others", "expected"),
    [
        (20, 20, 50), (33, 67, 35), (5, 295, 5), (295, 5, 95),
        (4, 96, 0), (100, 0, 100), (97, 3, 100),  # nearly nobody, nearly everybody
        (4, 4, None), (1, 5, None), (7, 0, None), (5, 5, 50),
    ],
)  # fmt: skip
def test_shares_are_rounded_and_tell_no_small_group(passed, others, expected):
    assert share(passed, others) == expected


def test_what_few_have_handed_in_is_not_shown():
    assert shown([row(f"s{n}") for n in range(FEWEST_OF_ALL - 1)])["lessons"] == []


def test_mistakes_are_shown_by_name_with_the_authors_sentence_and_not_the_students():
    rows = [row(f"a{n}", "failed", KNOWN["name"], f"Seen in `line {n}`.") for n in range(FEWEST)]
    rows += [row(f"b{n}", "failed", OTHER["name"]) for n in range(FEWEST - 1)]  # too few
    rows += [row(f"c{n}", "failed", "unexplained", "Gave 7.") for n in range(9)]  # no name
    rows += [row(f"d{n}", "error", "raised NameError", "At `zoe`.") for n in range(9)]
    rows += [row(f"e{n}", "failed", "taught", "You square twice.") for n in range(FEWEST)]
    rows += [row(f"f{n}", "failed", "in own words", f"Line {n}.") for n in range(9)]
    ((_, (line,)),) = shown(rows)["lessons"]
    told = {each["name"]: each["sentence"] for each in line["mistakes"]}
    assert told == {KNOWN["name"]: KNOWN["sentence"], "taught": "You square twice."}
    # Too few for a count; "in own words" is not the authors' sentence.
    assert line["uncounted"] == [{"name": OTHER["name"], "sentence": OTHER["sentence"]}]


def test_what_a_teacher_named_and_what_was_predicted_wrongly_is_shown_without_a_count():
    named = Taught("01.1", "cubed", "You cubed `x`.", "", Behavior(0, []))
    rows = [row(f"a{n}", "failed", "cubed", "You cubed `x`.") for n in range(3)]
    ((_, (line,)),) = shown(rows, taught=[named])["lessons"]
    assert line["uncounted"] == [{"name": "cubed", "sentence": "You cubed `x`."}]
    predict = find_exercise("01.2")
    known = known_values(predict, stored("01.2"))
    (name, sentence), *_ = known.items()
    wrote = "Wrong: [4, 2], from `zoe`."
    rows = [replace(row(f"a{n}", "failed", name, wrote), exercise="01.2") for n in range(3)]
    rows += [replace(row("b", "failed", "wrote [7, 7]", wrote), exercise="01.2")]
    ((_, (line,)),) = shown(rows)["lessons"]
    assert line["uncounted"] == [{"name": name, "sentence": sentence}]


@pytest.mark.parametrize("others", [1, 3, 10])
def test_a_small_class_sees_mistakes_without_counts_and_no_empty_heading(tmp_path, others):
    rows = [row(f"a{n}", "failed", KNOWN["name"]) for n in range(2)]
    rows += [row("b", "failed", "in own words", "Line 3 of zoe.")]
    rows += [row(f"c{n}") for n in range(others)]
    lesson = find_lesson("01").exercises()[1:]
    rows += [replace(r, exercise=e.id, outcome="passed", mistake="") for r in rows for e in lesson]
    write_results(Grading(rows=rows), tmp_path)
    page = (tmp_path / "class-to-show.html").read_text(encoding="utf-8").split("<body>")[1]
    assert KNOWN["name"] in page and "zoe" not in page and "not shown" not in page
    assert "2 " not in re.sub(r"<[^>]*>", "", page.split("<h3>")[1]).replace(KNOWN["sentence"], "")
    assert not re.search(r"</h2>\s*(<h2|</main>)|</h3>\s*(<h[23]|</main>)", page)


def test_predictions_stand_beside_the_truth_and_odd_ones_do_not():
    asked = find_lesson("01").predictions()[0]
    counts = Counter({asked.right: 10, "what half predicted": 10, "zoe's own words": 2})
    (line,) = shown([], {asked.id: counts})["predictions"]
    assert line["truth"]["words"] == asked.right and line["truth"]["share"] == 45
    assert [other["words"] for other in line["others"]] == ["what half predicted"]
    assert line["rare"] == [words for words in asked.options if words != asked.right]
    assert line["question"].endswith("?") and "**a**" not in line["question"]
    assert shown([], {asked.id: Counter({asked.right: FEWEST - 1})})["predictions"] == []


def test_what_was_most_often_predicted_wrongly_comes_first():
    first, second = find_lesson("01").predictions()[:2]
    wrong = next(words for words in second.options if words != second.right)
    counts = {
        first.id: Counter({first.right: 20}),
        second.id: Counter({second.right: 5, wrong: 5}),
    }
    assert [line["id"] for line in shown([], counts)["predictions"]] == [second.id, first.id]


def test_the_page_names_nobody_and_loads_nothing(tmp_path):
    students = [f"Zoe Number{n}" for n in range(30)]
    rows = [row(s, "failed", KNOWN["name"], f"{s} wrote `x`.") for s in students]
    rows += [row("Solo Ada", "crashed", "", "The notebook ended.")]
    rows += [
        replace(row(s), exercise=e.id) for s in students for e in find_lesson("01").exercises()[1:]
    ]
    write_results(Grading(rows=rows), tmp_path)
    page = (tmp_path / "class-to-show.html").read_text(encoding="utf-8")
    assert KNOWN["name"] in page and "nearly everybody" in page
    for word in ("Zoe", "Solo", "secret place", "noon", "crashed", "feedback"):
        assert word not in page.split("<body>")[1], word
    assert not re.search(r"(src|href)=|url\(|@import|<script", page)
    assert page.count("<table") == page.count("<caption") > 0
    assert (
        page.count("<h1") == 1 and "prefers-color-scheme: dark" in page and "@media print" in page
    )
    teacher = (tmp_path / "class.html").read_text(encoding="utf-8")
    assert 'href="class-to-show.html"' in teacher and "Zoe Number0" in teacher


def test_who_gave_up_may_need_a_word_too(tmp_path):
    ids = [each.id for each in find_lesson("01").exercises()]
    rows = [replace(row("tries", "failed"), exercise=i) for i in ids[:2]]
    rows += [replace(row("gave up", "not attempted"), exercise=i) for i in ids[:3]]
    rows += [replace(row("did it"), exercise=i) for i in ids]
    write_results(Grading(rows=rows), tmp_path)
    page = (tmp_path / "class.html").read_text(encoding="utf-8")
    (word,) = re.findall(r"Students who may need a word.*?</table>", page, re.S)
    assert "gave up" in word and "01.1, 01.2, 01.3" in word
    assert "did it" not in word and ">tries<" not in word


def test_no_page_invents_a_time_of_handing_in(tmp_path):
    every = find_lesson("01").exercises()
    rows = [replace(row("ada"), submitted="", exercise=each.id) for each in every]
    write_results(Grading(rows=rows), tmp_path)
    page = (tmp_path / "feedback" / "ada.html").read_text(encoding="utf-8")
    assert "Graded: ada/secret place.ipynb." in page and ", handed in" not in page


def luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(w * p for w, p in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_text_is_readable_in_light_in_dark_and_on_paper(tmp_path):
    write_results(Grading(), tmp_path)
    style = (tmp_path / "class-to-show.html").read_text(encoding="utf-8")
    themes = re.findall(r":root \{(.*?)\}", style, re.S)
    assert len(themes) == 3
    for theme in themes:
        colours = dict(re.findall(r"--(\w+): (#\w+)", theme))
        colours = {
            k: v if len(v) == 7 else "#" + "".join(2 * c for c in v[1:]) for k, v in colours.items()
        }
        for text in ("text", "quiet", "link"):
            for ground in ("ground", "head"):
                pair = sorted(luminance(colours[name]) for name in (text, ground))
                assert (pair[1] + 0.05) / (pair[0] + 0.05) >= 4.5, (text, ground, theme)
