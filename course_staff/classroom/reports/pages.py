"""The pages for people: feedback for each student, and what the class has and has not learnt."""

import hashlib
import re
import unicodedata
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

from course_utils.workspace.curriculum import find_lesson
from course_utils.workspace.output_folder import write_output, zipped

from ..judging.results import Grading
from .class_page import SIGNS, class_values, points_of
from .gradebook import gradebook_csv, results_jsonl
from .show_page import values_to_show
from .upload import upload_csv

__all__ = ["COMMAND", "page_name", "write_results"]

COMMAND = "course grade"  # which writes them

# Names of files that Windows keeps for itself, and those that look like what is added to others.
_NOT_PLAIN = r"|con|nul|prn|aux|(com|lpt)\d|(.*-)?[0-9a-f]{16}"


def write_results(grading: Grading, out: Path) -> Path:
    """Write the tables and the pages to ``out`` and return the class page."""
    names = {student: page_name(student) for student in sorted({r.student for r in grading.rows})}
    texts = {
        f"feedback/{name}": _render("feedback.html", **_feedback(student, grading))
        for student, name in names.items()
    }
    texts["results.jsonl"] = results_jsonl(grading)
    texts["gradebook.csv"] = gradebook_csv(grading)
    texts["class-to-show.html"] = _render("show.html", **values_to_show(grading))
    texts["class.html"] = _render("class.html", **class_values(grading, names))
    files = {path: text.encode("utf-8", "replace") for path, text in texts.items()}
    files |= _feedback_zips(grading, {s: files[f"feedback/{name}"] for s, name in names.items()})
    if grading.roster is not None:
        files["upload.csv"] = upload_csv(grading)
    write_output(files, out, COMMAND)
    return out / "class.html"


def _feedback_zips(grading: Grading, pages: dict[str, bytes]) -> dict[str, bytes]:
    """Return, for each download, a zip of pages that its learning system takes back."""
    zips: dict[tuple[str, str], dict[str, bytes]] = {}
    for submission in grading.found.submissions:
        reply = submission.reply
        if submission.counts and reply and submission.student in pages:
            page = {f"{reply.prefix}feedback.html": pages[submission.student]}
            zips.setdefault((reply.system, reply.download), {}).update(page)
    several = Counter(system for system, _ in zips)
    files = {}
    for (system, download), content in sorted(zips.items()):
        name = re.sub(r"[^\w-]+", "-", download.removesuffix(".zip")).strip("-")
        addition = f"-{name}" if several[system] > 1 else ""
        files[f"feedback-for-{system}{addition}.zip"] = zipped(content)
    return files


def page_name(student: str) -> str:
    """Return a file name for a student's page, safe on every system and different for each.

    >>> page_name("alice"), page_name("Zoë Åkerman/..")
    ('alice.html', 'Zoë-Åkerman-beb3aee442c540b9.html')
    """
    safe = re.sub(r"[^\w-]+", "-", unicodedata.normalize("NFC", student)).strip("-")
    safe = safe.encode()[:120].decode(errors="ignore")
    if not (safe == student == safe.lower()) or re.fullmatch(_NOT_PLAIN, safe):
        digest = hashlib.sha256(student.encode("utf-8", "surrogateescape")).hexdigest()[:16]
        safe = f"{safe}-{digest}".strip("-")
    return f"{safe}.html"


def _feedback(student: str, grading: Grading) -> dict:
    student_rows = [row for row in grading.rows if row.student == student]
    newest = [row for row in student_rows if row.counts]
    counting = [row for row in newest if not grading.excuse(row)]
    lessons = []
    for number in sorted({row.lesson for row in newest}):
        rows = [row for row in newest if row.lesson == number]
        older = {row.submission for row in student_rows if row.lesson == number and not row.counts}
        lessons.append(
            {
                "number": number,
                "title": find_lesson(number).title,
                "rows": rows,
                "points": points_of(rows),
                "possible": sum(row.possible for row in rows),
                "submission": rows[0].submission,
                "submitted": rows[0].submitted,
                "comment": rows[0].on_lesson,
                "excuse": grading.excuse(rows[0]),
                "older": sorted(older),
            }
        )
    return {
        "student": student,
        "lessons": lessons,
        "excused": {
            number: reason
            for number, reason in grading.excuses_of(grading.who(student)).items()
            if all(number != lesson["number"] for lesson in lessons)
        },
        "counted": len({row.lesson for row in counting}),
        "points": points_of(counting),
        "possible": sum(row.possible for row in counting),
        "signs": SIGNS,
        "is_sandboxed": grading.is_sandboxed,
    }


def _render(name: str, **values: Any) -> str:
    return _templates().get_template(name).render(**values)


@cache
def _templates() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("course_staff.classroom.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["code"] = _with_code
    return environment


def _with_code(text: str) -> Any:
    """Show what stands between backquotes as code; everything else is escaped."""
    from markupsafe import Markup, escape

    parts = text.split("`")
    if len(parts) % 2 == 0:
        return escape(text)
    shown = [
        Markup("<code>{}</code>").format(part) if number % 2 else escape(part)
        for number, part in enumerate(parts)
    ]
    return Markup("").join(shown)
