"""Write the page of all causes of None, zero and NaN: python docs/write_cheat_sheet.py."""

from pathlib import Path

from course_utils import cheat_sheet

PAGE = Path(__file__).with_name("cheat_sheet.md")
HEAD = """# Why is my gradient None, zero or NaN?

Below, `x` is the source, `y` the target, and `tape` a `tf.GradientTape`. With `ExplainingTape`
instead, you get the cause and the line in your own program. In a notebook, `cheat_sheet()` shows
these tables.

"""


def page() -> str:
    """Return the page as Markdown."""
    return HEAD + cheat_sheet().text


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
