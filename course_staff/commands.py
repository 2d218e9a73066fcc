"""What authors and instructors can type: ``course`` takes these commands up as its own."""

import typer

from .authoring.build_command import COMMANDS as FOR_AUTHORS
from .classroom.instructor_commands import COMMANDS as FOR_INSTRUCTORS

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the commands to ``course``; the installed package names this as its entry point."""
    for panel, commands in (("For teachers", FOR_INSTRUCTORS), ("For authors", FOR_AUTHORS)):
        for command in commands:
            app.command(rich_help_panel=panel)(command)
