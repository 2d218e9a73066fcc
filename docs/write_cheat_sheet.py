"""Write the page of all causes of None, zero and NaN: python docs/write_cheat_sheet.py."""

from pathlib import Path

from course_utils import cheat_sheet

PAGE = Path(__file__).with_name("cheat_sheet.md")
HEAD = """# Why is my gradient `None`, zero, or NaN?

To get the cause and the line in *your* program, replace `tf.GradientTape` with
[`ExplainingTape`](gradient_tools.md) and call `tape.explain()`. Most often, it is one of these:

- The tensor is not a variable, and nobody called `tape.watch` (*not-watched*).
- A line such as `x = x - 0.1` made a tensor of a variable (*rebound-source*).
- The loss, or a part of it, was computed above the `with` block (*outside-tape*).
- NumPy, `.numpy()`, or `float()` turned a tensor into plain numbers (*left-tensorflow*).
- An operation such as `round`, `argmax`, or a cast to integers has no gradient (*no-gradient-op*,
  *integer-dtype*).

In the tables, `x` is the source, `y` the target, and `tape` a `tf.GradientTape`. In a notebook,
`cheat_sheet()` shows these tables.

"""


def page() -> str:
    """Return the page as Markdown."""
    return HEAD + cheat_sheet().text


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
