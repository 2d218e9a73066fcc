"""Text from outside, such as names of files, in a form that hides nothing."""

import re

__all__ = ["shown"]

# What moves the cursor, turns the direction of writing, or takes no room. The two joiners belong to
# the writing of names from Arabic on, and stay there.
_HIDING = re.compile(
    "[\\x00-\\x1f\\x7f-\\x9f\\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\uffff\ud800-\udfff\U000e0000-\U000e0fff\\\\]|(?:^|(?<=[\\x00-\u058f]))[\u200c\u200d]"
)


def shown(text: str) -> str:
    r"""Return text with what would hide something written out; other texts look different.

    >>> shown("Zoë"), shown("ada\u202eipynb.exe"), shown("a\\b")
    ('Zoë', 'ada\\u202eipynb.exe', 'a\\\\b')
    """
    return _HIDING.sub(lambda match: match[0].encode("unicode_escape").decode(), text)
