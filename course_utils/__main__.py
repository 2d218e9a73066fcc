"""``python -m course_utils``: the command ``course``, where it is not on the path."""

from .course.cli import app

app(prog_name="course")
