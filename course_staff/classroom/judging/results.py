"""What comes of a grading: a row for each exercise of each submission, and how it went."""

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from ..intake.roster import Member, Roster
from ..intake.submissions import SubmissionsFound
from .behaviors import Group, Taught

__all__ = ["BadInput", "Excuses", "Grading", "Row"]

# The reasons of excused students. The roster tells apart those who have the same name.
Excuses = dict[tuple[Member | str, str], str]


class BadInput(Exception):
    """There is nothing to grade, or what was asked for fits nothing; the message says which."""


@dataclass(frozen=True)
class Row:
    """One exercise of one submission in the results.

    ``note`` says how the run ended where that matters, ``comment`` what a teacher changed, and
    ``on_lesson`` what a teacher says of the whole lesson. ``graded_points`` are those before a
    teacher changed them.
    """

    student: str
    lesson: str
    exercise: str
    title: str
    outcome: str
    message: str
    points: float
    possible: int
    submission: str
    submitted: str
    counts: bool
    mistake: str
    note: str = ""
    comment: str = ""
    on_lesson: str = ""
    graded_points: float | None = None


@dataclass(frozen=True)
class Grading:
    """What was graded: the rows in order, and what the pages say about how it went.

    ``run``, ``kept`` and ``unreadable`` count submissions, each once. ``predicted`` counts the
    answers to each prediction, ``groups`` are answers that no gallery explains, and ``taught``
    are the mistakes that a teacher named. ``set_aside`` is where earlier results are, of
    submissions that are gone, and ``accidents`` are submissions on which the grader itself
    failed. ``programs`` are the answers that failed, by submission and exercise, and
    ``excuses`` the reasons of excused students, by student and lesson.
    """

    rows: list[Row] = field(default_factory=list)
    predicted: dict[str, Counter[str]] = field(default_factory=dict)
    groups: list[Group] = field(default_factory=list)
    taught: list[Taught] = field(default_factory=list)
    found: SubmissionsFound = field(default_factory=SubmissionsFound)
    run: int = 0
    kept: int = 0
    unreadable: int = 0
    set_aside: Path | None = None
    accidents: list[str] = field(default_factory=list)
    is_sandboxed: bool = True
    roster: Roster | None = None
    programs: dict[tuple[str, str], str] = field(default_factory=dict)
    excuses: Excuses = field(default_factory=dict)

    def program(self, row: Row) -> str:
        """Return the code of an answer that failed; empty where there is none."""
        return self.programs.get((row.submission, row.exercise), "")

    @cached_property
    def newest(self) -> list[Row]:
        """The rows of the newest submissions."""
        return [row for row in self.rows if row.counts]

    @cached_property
    def counting(self) -> list[Row]:
        """The newest rows, without those of lessons from which the student is excused."""
        return [row for row in self.newest if not self.excuse(row)]

    def who(self, student: str) -> Member | str:
        """Return whom a submission's name means: a student on the roster, or the name itself."""
        member = self.roster.member(student) if self.roster else None
        return member or student

    def name_of(self, student: Member | str) -> str:
        """Return the name that the gradebook shows."""
        if self.roster and isinstance(student, Member):
            return self.roster.name_of(student)
        return str(student)

    def excuse(self, row: Row) -> str:
        """Return why a row's student is excused from its lesson; empty if they are not."""
        return self.excuses.get((self.who(row.student), row.lesson), "")

    @property
    def strangers(self) -> list[str]:
        """Say, a sentence each, which students the roster does not hold, or holds twice."""
        students = sorted({row.student for row in self.rows})
        reasons = [self.roster.why_unknown(s) for s in students] if self.roster else []
        return list(filter(None, reasons))

    @property
    def absent(self) -> dict[str, list[str]]:
        """The students on the roster who handed in nothing for a lesson, by its number.

        Those to whom a submission may belong that could not be matched are not among them.
        """
        if self.roster is None:
            return {}
        lessons = sorted({row.lesson for row in self.newest})
        unclear = {
            (member, row.lesson)
            for row in self.newest
            if not self.roster.member(row.student)
            for member in self.roster.may_be(row.student)
        }
        handed_in = [
            (member, {row.lesson for row in self.of_member(member)})
            for member in self.roster.members
        ]
        return {
            number: [
                self.name_of(member)
                for member, of_member in handed_in
                if number not in of_member
                and (member, number) not in unclear
                and (member, number) not in self.excuses
            ]
            for number in lessons
        }

    def of_member(self, member: Member) -> list[Row]:
        """Return the rows that count of a student of the roster."""
        return self._by_student.get(member, [])

    @cached_property
    def _by_student(self) -> dict[Member | str, list[Row]]:
        """The rows that count of each student."""
        found: dict[Member | str, list[Row]] = {}
        for row in self.counting:
            found.setdefault(self.who(row.student), []).append(row)
        return found

    def excuses_of(self, student: Member | str) -> dict[str, str]:
        """Return the reasons why a student of the gradebook is excused, by lesson."""
        return {lesson: reason for (who, lesson), reason in self.excuses.items() if who == student}
