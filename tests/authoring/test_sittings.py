"""What can wait, the sittings of a lesson, and how their minutes are counted."""

import jupytext
import pytest

from course_staff.authoring.sittings import (
    FOLDED,
    further_cells,
    mark_sections,
    section_problems,
    sittings_of,
)

WORDS = " ".join(["word"] * 300)
LESSON = f"""\
# %% [markdown]
# # 01 · A lesson
#
# **Time**: {{time}}.

# %% [markdown]
# ## What is needed?
#
# {WORDS}

# %%
a = 1
b = 2

# %% [markdown]
# ### Further: what can wait
#
# {WORDS}

# %%
c = 3

# %% [markdown]
# ### Exercise 01.1: complete

# %% exercise="01.1"
answer = 1

# %%
check("01.1", answer)

# %% [markdown]
# ## Recap
"""
SECOND = LESSON.replace("# # 01 · A lesson\n#", "# ## Sitting 2: The rest\n#").replace(
    "01.1", "01.2"
)
TWO = (
    LESSON.replace(
        "# ## What is",
        "# ## Sitting 1: A start\n#\n# About {time}.\n\n# %% [markdown]\n# ## What is",
    )
    + SECOND
)


def cells_of(text):
    return jupytext.reads(text, fmt="py:percent").cells


def test_a_section_that_can_wait_ends_at_the_next_heading_of_its_level_or_above():
    cells = cells_of(LESSON)
    assert further_cells(cells) == {3, 4}
    deeper = LESSON.replace("# ### Further", "# ## Further").replace("### Exercise", "## Exercise")
    assert further_cells(cells_of(deeper)) == {3, 4}
    assert further_cells(cells_of(LESSON.replace("Further: ", ""))) == set()


def test_the_minutes_are_words_lines_and_exercises_rounded_up_to_five():
    (sitting,) = sittings_of(cells_of(LESSON))
    # 300 words and a few lines are a little more than 2 minutes, an exercise is 8.
    assert (sitting.minutes, sitting.further) == (15, 5)
    (longer,) = sittings_of(
        cells_of(LESSON.replace('exercise="01.1"', 'exercise="01.1" minutes=20'))
    )
    assert longer.minutes == 35
    assert sitting.exercises == ("01.1",) and sitting.title == ""


def test_hints_are_no_time():
    hint = f"# <details>\n# <summary>Hint</summary>\n# {WORDS * 9}\n# </details>"
    with_hint = LESSON.replace(
        "# %% [markdown]\n# ## Recap", f"# %% [markdown]\n{hint}\n\n# %% [markdown]\n# ## Recap"
    )
    assert sittings_of(cells_of(with_hint)) == sittings_of(cells_of(LESSON))


def test_what_can_wait_is_folded_and_the_time_is_said():
    cells = cells_of(LESSON)
    mark_sections(cells)
    assert [i for i, cell in enumerate(cells) if cell.metadata.get(FOLDED)] == [3]
    assert "**Time**: 15 minutes and 5 for what is headed *Further*." in cells[0].source


def test_each_sitting_says_its_own_time():
    cells = cells_of(TWO)
    first, second = sittings_of(cells)
    assert (first.title, second.title) == ("A start", "The rest")
    assert (first.exercises, second.exercises) == (("01.1",), ("01.2",))
    mark_sections(cells)
    assert "30 minutes, in sittings of 15 and 15, and 10 for what" in cells[0].source
    assert "About 15 minutes and 5 for" in cells[1].source


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (LESSON.replace("# ### Exercise", "# #### Exercise"), "an exercise stands in a section"),
        (LESSON.replace("# ### Exercise", "# #### Exercise"), "has a heading inside"),
        (TWO.replace("Sitting 2", "Sitting 3"), "sitting 3 does not follow on sitting 1"),
        (LESSON.replace("## What is", "## Sitting 1: What is"), "of one sitting has no heading"),
    ],
)
def test_what_is_out_of_place_is_said(text, said):
    assert any(said in message for _, message in section_problems(cells_of(text)))
    assert not list(section_problems(cells_of(LESSON))) + list(section_problems(cells_of(TWO)))
