"""The feedback as Moodle and Canvas take it back: a page under each submission's own name."""

import io
import zipfile

import pytest
from handed_in import find_submissions, given

from course_staff.classroom.judging.results import Grading, Row
from course_staff.classroom.reports.pages import write_results
from course_utils.workspace.curriculum import find_lesson

ZOE = "Zoë Bö_12_assignsubmission_file_"
KIM = "Kim_7_assignsubmission_file_"


def write(tmp_path, *places):
    """Write the results for notebooks at these places; return the names in each zip."""
    for place in places:
        path = tmp_path / "in" / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(given("01"))
    found = find_submissions(tmp_path / "in")
    rows = [
        Row(s.student, "01", e.id, e.title, "passed", "-", 1, 1, s.place, "", s.counts, "")
        for s in found.submissions
        for e in find_lesson("01").exercises()
    ]
    out = tmp_path / "out"
    write_results(Grading(rows=rows, found=found), out)
    zips = {}
    for path in out.glob("*.zip"):
        with zipfile.ZipFile(path) as archive:
            zips[path.name] = {n: archive.read(n).decode() for n in archive.namelist()}
    return zips


@pytest.mark.parametrize(
    ("places", "name", "pages"),
    [
        (
            [f"{ZOE}/01_first_tape.ipynb", f"{KIM}/01_first_tape.ipynb"],
            "feedback-for-moodle.zip",
            {f"{ZOE}/feedback.html": "Zoë Bö", f"{KIM}/feedback.html": "Kim"},
        ),
        (  # since Moodle 4.1
            [
                "Zoë Bö_12_assignsubmission_file/01_first_tape.ipynb",
                "Kim_7_assignsubmission_file/01_first_tape.ipynb",
            ],
            "feedback-for-moodle.zip",
            {
                "Zoë Bö_12_assignsubmission_file/feedback.html": "Zoë Bö",
                "Kim_7_assignsubmission_file/feedback.html": "Kim",
            },
        ),
        (
            [f"{ZOE}01_first_tape.ipynb", f"{KIM}01_first_tape.ipynb"],
            "feedback-for-moodle.zip",
            {f"{ZOE}feedback.html": "Zoë Bö", f"{KIM}feedback.html": "Kim"},
        ),
        (
            ["boz_LATE_482_993_01_first_tape-1.ipynb", "kim_483_994_01_first_tape.ipynb"],
            "feedback-for-canvas.zip",
            {"boz_LATE_482_993_feedback.html": "boz", "kim_483_994_feedback.html": "kim"},
        ),
    ],
)
def test_each_page_has_the_name_that_the_system_knows(tmp_path, places, name, pages):
    zips = write(tmp_path, *places)
    assert zips.keys() == {name} and zips[name].keys() == pages.keys()
    for page, student in pages.items():
        assert f"<h1>Feedback for {student}</h1>" in zips[name][page]


def test_each_download_has_its_own_zip(tmp_path):
    zips = write(
        tmp_path, f"00_start_here/{ZOE}/01_first_tape.ipynb", f"01_first_tape/{KIM}/w.ipynb"
    )
    assert {name: set(pages) for name, pages in zips.items()} == {
        "feedback-for-moodle-00_start_here.zip": {f"{ZOE}/feedback.html"},
        "feedback-for-moodle-01_first_tape.zip": {f"{KIM}/feedback.html"},
    }


def test_two_downloads_of_one_assignment_have_one_zip(tmp_path):
    zips = write(tmp_path, *(f"{d}/{s}/w.ipynb" for d, s in (("a", ZOE), ("b", ZOE), ("b", KIM))))
    assert {name: set(pages) for name, pages in zips.items()} == {
        "feedback-for-moodle.zip": {f"{ZOE}/feedback.html", f"{KIM}/feedback.html"},
    }


def test_a_class_without_a_learning_system_has_none(tmp_path):
    assert write(tmp_path, "ada/01_first_tape.ipynb") == {}


def test_the_same_results_give_the_same_zip(tmp_path):
    write(tmp_path, f"{ZOE}/01_first_tape.ipynb")
    first = (tmp_path / "out" / "feedback-for-moodle.zip").read_bytes()
    write(tmp_path)
    assert (tmp_path / "out" / "feedback-for-moodle.zip").read_bytes() == first
    assert zipfile.is_zipfile(io.BytesIO(first))
