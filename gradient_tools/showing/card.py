"""The card on which a result is shown, such as an explanation or a report.

It holds no colour but that of its edge, so it reads in every theme; long words and code wrap.
"""

import html
import re

__all__ = ["card", "code_block", "with_code"]


def card(colour: str, *blocks: str) -> str:
    """Return the HTML of a card: a headline and more blocks of HTML, beside a coloured line."""
    return (
        f'<div role="status" style="border-left:4px solid {colour};padding:.3em .8em;'
        f'margin:.3em 0;overflow-wrap:anywhere">{"".join(blocks)}</div>'
    )


def with_code(text: str) -> str:
    """Return text as HTML, with what stands between backquotes as code.

    >>> with_code("write `x < 3`")
    'write <code>x &lt; 3</code>'
    """
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text))


def code_block(code: str) -> str:
    """Return lines of code as HTML that can be copied."""
    look = "white-space:pre-wrap;word-break:normal;overflow-wrap:anywhere;margin:.2em 0 .4em"
    return f'<pre style="{look}">{html.escape(code)}</pre>'
