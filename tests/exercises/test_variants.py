"""The predictions that come back: each program is run, and gives what is called right."""

import contextlib
import io
import linecache
import math
import re
import warnings
from collections import Counter

import numpy as np
import pytest
import tensorflow as tf

from course_utils.exercises import Variant
from course_utils.exercises.callouts import Callout
from course_utils.exercises.isolation import state_kept
from course_utils.exercises.lesson_questions import variants
from course_utils.exercises.question import ValueQuestion
from course_utils.workspace.curriculum import LESSONS, find_exercise, find_prediction

SOURCES = {lesson.number: lesson for lesson in LESSONS}
VARIANTS = [each for lesson in LESSONS for each in variants(lesson.number)]
LONGEST = 16  # lines of a program


def names_of(each):
    return f"{each.id} {each.right}"


def truth_of(variant):
    """Run the program, and return what it prints last, or what ``truth`` says then."""
    names, printed = {"tf": tf, "np": np, "math": math}, io.StringIO()
    text, name = variant.program, f"<{variant.id}>"
    # AutoGraph reads a function's text, as it does in a notebook.
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    with state_kept(0), contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # as in a notebook, and not in pytest
        exec(compile(text, name, "exec"), names)
    if variant.truth:
        return str(eval(variant.truth, names))
    return printed.getvalue().splitlines()[-1]


@pytest.mark.parametrize("variant", VARIANTS, ids=names_of)
def test_the_program_gives_what_is_called_right(variant):
    assert variant.meant(truth_of(variant)) == variant.right


@pytest.mark.parametrize("variant", VARIANTS, ids=names_of)
def test_a_variant_belongs_to_a_question_and_a_section(variant, request):
    if variant.id[3:].isalpha():
        assert isinstance(find_prediction(variant.id), Callout)
    else:
        assert isinstance(find_exercise(variant.id), ValueQuestion)
    lesson = request.config.rootpath / "lessons" / SOURCES[variant.id[:2]].name / "lesson.py"
    headings = re.findall(r"^# #+ (.*)$", lesson.read_text(encoding="utf-8"), re.MULTILINE)
    assert variant.section in headings
    assert len(variant.program.strip().splitlines()) <= LONGEST
    assert all(re.search(r"[.?]$", sentence) for sentence in variant.options.values())


def test_a_prediction_has_two_variants_with_other_programs_or_none():
    assert set(Counter(each.id for each in VARIANTS).values()) <= {2}
    assert len({each.program for each in VARIANTS}) == len(VARIANTS)


def test_the_right_answer_has_no_favourite_place():
    letters = Counter(each.answer for each in VARIANTS if each.letters)
    assert letters.most_common(1)[0][1] <= 0.7 * letters.total()


def test_remembering_the_letter_does_not_help():
    lettered = [v for v in VARIANTS if v.letters and v.id[3:].isalpha()]
    same = Counter(v.id for v in lettered if v.answer == find_prediction(v.id).answer)
    assert set(same.values()) <= {1} and len(same) <= 0.1 * len(lettered)


def test_a_variant_without_a_program_or_a_section_is_refused():
    options = {"1": "So it is.", "2": "It is not."}
    with pytest.raises(ValueError, match="a program, and a section"):
        Variant("02.a", "1", options, program="print(1)")
    with pytest.raises(ValueError, match="a program, and a section"):
        Variant("02.a", "1", options, section="Any")
