"""``--again``: which verdicts are made once more, while every other one stays as it is."""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from course_utils.workspace.curriculum import all_exercises

from ..intake.roster import Roster
from ..intake.submissions import Submission
from .notebook_verdicts import OUTCOMES, Verdict
from .results import BadInput

__all__ = ["Again", "choose_again"]


@dataclass(frozen=True)
class Again:
    """Students, exercises and outcomes; where one of the three is empty, it leaves nothing out."""

    students: frozenset[str] = frozenset()
    exercises: frozenset[str] = frozenset()
    outcomes: frozenset[str] = frozenset()

    def picks(self, submission: Submission, verdicts: Mapping[str, Verdict]) -> set[str]:
        """Return the exercises of a submission that are judged once more; only if it counts."""
        if not submission.counts or (self.students and submission.student not in self.students):
            return set()
        return {
            exercise_id
            for exercise_id, verdict in verdicts.items()
            if (not self.exercises or exercise_id in self.exercises)
            and (not self.outcomes or verdict.outcome in self.outcomes)
        }

    def meant(self, submissions: Collection[Submission], roster: Roster | None = None) -> "Again":
        """Return the same with the students as their submissions call them.

        Raises
        ------
        BadInput
            If one of them has handed in nothing, or nobody an exercise, so that a typo is noticed.
        """
        lessons = {submission.lesson for submission in submissions}
        for exercise_id in sorted(self.exercises):
            if exercise_id[:2] not in lessons:
                raise BadInput(
                    f"--again was {exercise_id}, but nobody handed in lesson {exercise_id[:2]}."
                )
        students: set[str] = set()
        there = {submission.student for submission in submissions}
        for name in sorted(self.students):
            member = roster.member(name) if roster else None
            same = {s for s in there if roster and member and roster.member(s) is member}
            matching = same | ({name} & there)
            namesakes = sorted(s for s in there if re.sub(r" \([^()]*\)$", "", s) == name)
            if not matching and namesakes:
                raise BadInput(
                    f"--again was {name!r}, the name of {len(namesakes)} students. Write one of "
                    f"these: {', '.join(namesakes)}."
                )
            if not matching:
                raise BadInput(
                    f"--again was {name!r}, but it must be an exercise such as 03.2, one of "
                    f"{', '.join(OUTCOMES)}, or a student who handed something in. Use the student "
                    "names from gradebook.csv."
                )
            students |= matching
        return replace(self, students=frozenset(students))


def choose_again(words: Iterable[str]) -> Again | None:
    """Return what the words mean, each a student, an exercise or an outcome; None without any.

    >>> sorted(choose_again(["ada", "03.2", "timeout", "bob"]).students)
    ['ada', 'bob']
    """
    words = frozenset(words)
    exercises = frozenset(word for word in words if re.fullmatch(r"\d\d\.\d+", word))
    missing = sorted(exercises - {exercise.id for exercise in all_exercises()})
    if missing:
        raise BadInput(f"--again {missing[0]}: there is no such exercise. Use an id such as 03.2.")
    outcomes = words & frozenset(OUTCOMES)
    return Again(words - exercises - outcomes, exercises, outcomes) if words else None
