"""The essentials, what goes deeper, claims, and how the minutes are counted."""

import jupytext
import pytest

from course_staff.authoring.sections import (
    FOLDED,
    deeper_cells,
    mark_sections,
    section_problems,
    times_of,
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

# %% tags=["claims"]
assert a + 1 == b

# %% [markdown]
# ### Exercise 01.1: complete

# %% exercise="01.1"
answer = 1

# %%
check("01.1", answer)

# %% [markdown]
# ## Recap

# %% [markdown]
# ## Going deeper

# %% [markdown]
# ### A special case
#
# {WORDS}

# %%
c = 3

# %% [markdown]
# ### Exercise 01.2: predict

# %% exercise="01.2"
answer = 1

# %% [markdown]
# ## Further reading
"""


def cells_of(text):
    return jupytext.reads(text, fmt="py:percent").cells


def test_what_goes_deeper_ends_at_the_next_heading_of_its_level():
    assert deeper_cells(cells_of(LESSON)) == {8, 9, 10, 11, 12}
    assert deeper_cells(cells_of(LESSON.replace("## Going deeper", "## Gone"))) == set()


def test_the_minutes_are_words_lines_and_exercises_rounded_up_to_five():
    times = times_of(cells_of(LESSON))
    # 300 words and a few lines are a little more than 2 minutes, an exercise is 8 or 4.
    assert (times.minutes, times.deeper_minutes) == (15, 10)
    assert times.deeper == ("01.2",)
    longer = LESSON.replace('exercise="01.1"', 'exercise="01.1" minutes=20')
    assert times_of(cells_of(longer)).minutes == 35


def test_hints_and_claims_take_no_time():
    hint = f"# <details>\n# <summary>Hint</summary>\n# {WORDS * 9}\n# </details>"
    with_hint = LESSON.replace(
        "# %% [markdown]\n# ## Recap", f"# %% [markdown]\n{hint}\n\n# %% [markdown]\n# ## Recap"
    )
    assert times_of(cells_of(with_hint)) == times_of(cells_of(LESSON))
    with_claims = LESSON.replace("assert a + 1 == b", "assert a + 1 == b\n" * 200)
    assert times_of(cells_of(with_claims)) == times_of(cells_of(LESSON))


def test_what_goes_deeper_is_folded_once_and_the_time_is_written():
    cells = cells_of(LESSON)
    mark_sections(cells)
    assert [i for i, cell in enumerate(cells) if cell.metadata.get(FOLDED)] == [8]
    assert "**Time**: 15 minutes, and 10 more if you go deeper." in cells[0].source


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (LESSON.replace("## What is needed?", "## Going deeper"), "can have only one section"),
        (LESSON.replace("assert a + 1 == b", "a = 2"), "asserts nothing"),
        (LESSON.replace("## Recap", "# Recap").replace("## Going", "# Going"), "title of a lesson"),
    ],
)
def test_what_is_out_of_place_is_reported(text, message):
    assert any(message in problem for _, problem in section_problems(cells_of(text)))
    assert not list(section_problems(cells_of(LESSON)))
