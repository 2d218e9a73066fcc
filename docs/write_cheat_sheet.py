"""Write the page of all causes of None, zero and NaN: python docs/write_cheat_sheet.py."""

from pathlib import Path

from course_utils import cheat_sheet

PAGE = Path(__file__).with_name("cheat_sheet.md")
HEAD = """# Why is my gradient `None`, zero, or NaN?

To find the line in *your* program that causes the problem, replace `tf.GradientTape` with
[`ExplainingTape`](gradient_tools.md) and call `tape.explain()`. These are the usual causes of
`None`:

- The source is not a variable, and `tape.watch` was not called for it
  ([not-watched](#not-watched)).
- A line such as `x = x - 0.1` replaced a variable with a plain tensor
  ([rebound-source](#rebound-source)).
- The loss, or a part of it, was computed above the `with` block ([outside-tape](#outside-tape)).
- NumPy, `.numpy()`, or `float()` turned a tensor into plain numbers
  ([left-tensorflow](#left-tensorflow)).
- An operation such as `round`, `argmax`, or a cast to integers has no gradient
  ([no-gradient-op](#no-gradient-op), [integer-dtype](#integer-dtype)).

The headings below are the names that `tape.explain()` uses. `✗` marks code that causes the problem,
and `✓` marks what to write instead. The sentence below them is the one that `tape.explain()` shows;
*this line* is the line that it names. `x` is the source, `y` the target, and `tape` a
`tf.GradientTape`. In a notebook, `from gradient_tools import cheat_sheet; cheat_sheet()` shows this
page.

"""


def page() -> str:
    """Return the page as Markdown."""
    return HEAD + cheat_sheet().text


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
