"""What the commands of authors and instructors share: progress bars, and two ways to end early."""

from collections.abc import Iterator
from contextlib import contextmanager

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from course_utils.terminal import console, errors

__all__ = ["interruptible", "need_extra", "progress_bars"]


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
def need_extra(extra: str, purpose: str) -> Iterator[None]:
    """Say which extra to install where an import fails, and end with status 1."""
    try:
        yield
    except ImportError as error:
        errors.print(f"{purpose} needs the {extra} extra ({error.name} is missing):")
        errors.print(f"  pip install -e '.[{extra}]'")
        raise typer.Exit(1) from None


@contextmanager
def interruptible() -> Iterator[None]:
    """End with status 130 and a sentence when the user presses Ctrl-C."""
    try:
        yield
    except KeyboardInterrupt:
        text = (
            "Interrupted. Run the same command again, without --fresh, to continue where it "
            "stopped."
        )
        errors.print(text, style="bold")
        raise typer.Exit(130) from None
