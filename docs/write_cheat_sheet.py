"""Write the page of all causes of None, zero and NaN: python docs/write_cheat_sheet.py."""

from pathlib import Path

from course_utils import cheat_sheet

PAGE = Path(__file__).with_name("cheat_sheet.md")
HEAD = """# Why is my gradient `None`, zero, or NaN?

In `tape.gradient(y, x)`, `y` is the *target* and `x` the *source*. To find the line in *your*
program that causes the problem, replace `tf.GradientTape` with
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

For zero or NaN, go to [Zero](#zero-there-is-a-path-but-its-slopes-multiply-to-0) or [Infinite or
not a number](#infinite-or-not-a-number).

The headings below are the names that `tape.explain()` uses. `✗` marks code that causes the problem,
and `✓` marks what to write instead. Below the code is the explanation, often in the words of
`tape.explain()`; *this line* is the line that it names. The name `undetermined` means that no cause
was found: shorten the program until the gradient appears. In a notebook, `from gradient_tools
import cheat_sheet; cheat_sheet()` shows this page.

"""


def page() -> str:
    """Return the page as Markdown."""
    return HEAD + cheat_sheet().text


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
