"""What the commands share: text without markup, sentences for expected errors, progress bars."""

from collections.abc import Iterator
from contextlib import contextmanager

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

__all__ = [
    "console",
    "errors",
    "interruptible",
    "need_extra",
    "print_text",
    "progress_bars",
    "sentence_for",
]

console = Console()
errors = Console(stderr=True)


def print_text(text: str) -> None:
    """Print text that may hold paths and brackets, without breaking its lines.

    A path may hold bytes that are no text and that a terminal does not take.
    """
    text = text.encode("utf-8", "replace").decode("utf-8")
    console.print(text, markup=False, highlight=False, soft_wrap=True)


def progress_bars(unit: str) -> Progress:
    """Return progress bars that count in ``unit``."""
    return Progress(
        TextColumn("{task.description:<28}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(unit),
        TimeElapsedColumn(),
        console=console,
    )


@contextmanager
def sentence_for(*kinds: type[Exception]) -> Iterator[None]:
    """Show an expected error as its sentence, without a traceback, and end with status 1."""
    try:
        yield
    except kinds as error:
        text = str(error) if isinstance(error, OSError) else str(error.args[0])
        errors.print(text, style="bold", markup=False, highlight=False, soft_wrap=True)
        raise typer.Exit(1) from None


@contextmanager
def need_extra(extra: str, purpose: str) -> Iterator[None]:
    """Say which extra to install where an import fails, and end with status 1."""
    try:
        yield
    except ImportError as error:
        errors.print(f"{purpose} needs the {extra} extra ({error.name} is missing):")
        errors.print(f"  pip install -e '.[{extra}]'", markup=False)
        raise typer.Exit(1) from None


@contextmanager
def interruptible() -> Iterator[None]:
    """End with status 130 and a sentence when the user presses Ctrl-C."""
    try:
        yield
    except KeyboardInterrupt:
        text = "Interrupted. The same command, without --fresh, goes on where this one was."
        errors.print(text, style="bold")
        raise typer.Exit(130) from None
