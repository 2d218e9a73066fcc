"""What the commands share: text without markup, and sentences for expected errors."""

from collections.abc import Iterator
from contextlib import contextmanager

import typer
from rich.console import Console

__all__ = ["console", "errors", "print_text", "sentence_for"]

console = Console()
errors = Console(stderr=True)


def print_text(text: str) -> None:
    """Print text that may hold paths and brackets, without breaking its lines.

    A path may hold bytes that are no text and that a terminal does not take.
    """
    text = text.encode("utf-8", "replace").decode("utf-8")
    console.print(text, markup=False, highlight=False, soft_wrap=True)


@contextmanager
def sentence_for(*kinds: type[Exception]) -> Iterator[None]:
    """Show an expected error as its sentence, without a traceback, and end with status 1."""
    try:
        yield
    except kinds as error:
        errors.print(str(error), style="bold", markup=False, highlight=False, soft_wrap=True)
        raise typer.Exit(1) from None
