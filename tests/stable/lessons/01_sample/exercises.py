"""The questions of the sample."""

from course_utils.exercises import Callout, Demand, Part, Question, ValueQuestion


def drawn(rng):
    """Return three numbers as the arguments of three calls."""
    return [(float(x),) for x in rng.uniform(1, 2, 3).round(2)]


EXERCISES = (
    Question(
        id="01.1",
        title="The slope of a square",
        kind="complete",
        points=2,
        draw=drawn,
        inputs="x",
        parts=[Part(words="the slope", form="Return one number.")],
        praise="The slope of x squared is 2x.",
    ),
    ValueQuestion(
        id="01.2", title="Shape", kind="predict", points=1, form="Write two numbers", praise="Yes."
    ),
    Question(
        id="01.3",
        title="Doubled",
        kind="repair",
        points=1,
        draw=drawn,
        inputs="x",
        parts=[Part(words="the double", read=lambda got, x: got)],
        demands=[Demand("nothing", "Nothing is demanded.", lambda noted: True)],
        praise="Twice x.",
    ),
)
PREDICTIONS = (Callout("01.a", right="rows", options={"columns": "No.", "rows": "Yes."}),)
