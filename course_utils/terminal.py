"""What the commands share: text without markup, and sentences for expected errors."""

from collections.abc import Iterator
from contextlib import contextmanager

import typer
from rich.console import Console

__all__ = ["console", "errors", "print_prose", "print_text", "sentence_for"]

console = Console()
# For texts that may hold paths and brackets: it shows them as they are, and breaks no line.
errors = Console(stderr=True, markup=False, emoji=False, highlight=False, soft_wrap=True)


def print_text(text: str) -> None:
    """Print text that may hold paths and brackets as it is, without breaking its lines."""
    text = text.encode("utf-8", "replace").decode()  # a path may hold bytes that are no text
    console.print(text, markup=False, emoji=False, highlight=False, soft_wrap=True)


def print_prose(text: str) -> None:
    """Print sentences, and break their lines between words."""
    console.print(text, markup=False, emoji=False, highlight=False)


@contextmanager
def sentence_for(*kinds: type[Exception]) -> Iterator[None]:
    """Show an expected error as its sentence, without a traceback, and end with status 1."""
    try:
        yield
    except kinds as error:
        errors.print(str(error), style="bold")
        raise typer.Exit(1) from None
