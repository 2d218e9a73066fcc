"""``python -m course_utils``: the command ``course``, where it is not on the path."""

from .cli import app

app(prog_name="course")
