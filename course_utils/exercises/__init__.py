"""What the authors of a lesson write its questions and its known mistakes with.

A lesson's ``exercises.py`` and ``mistakes.py`` import what they need from here, and from no module
below. A question says which inputs are drawn, how the answer is called, and in which parts answers
are compared. It does not hold the right answer, which is observed from the lesson.

>>> from course_utils.exercises import Demand, Part, Question, Wrong
>>> slope = Question(
...     "99.1",
...     title="The slope of a square",
...     kind="complete",
...     points=1,
...     draw=lambda rng: [(float(x),) for x in rng.uniform(1, 2, 3).round(2)],
...     inputs="x",
...     parts=[Part(words="the slope", form="Return one number.", read=lambda got, x: abs(got))],
...     demands=[Demand("no tape", "Use a tape.", lambda noted: all(noted["gradient"]))],
...     praise="The slope of x squared is 2x.",
... )
>>> slope.observe_on(lambda x: 2 * x, [(1.5,)])["calls"][0]["returned"]
3.0
>>> mistakes = {"99.1": {"half": Wrong("The rule gives 2x, and this is x.", lambda x: x)}}

For an exercise whose answer is a value there is `ValueQuestion`, whose known mistakes are a `Table`
of values and of ranges (`Between`); for a question in the text that is predicted, `Callout`, and in
``variants.py``, for when it comes back with other numbers, `Variant`. Arguments
become tensors by `constants` and `variables`. `calls_noted`, `results_noted`,
`listen_to_operations` and `traced_anew` let ``call`` see how an answer worked, and `Other` names
what is no number, list or dict.
"""

from gradient_tools.recording.tensorflow_internals import listen_to_operations

from .callouts import Callout, Variant
from .drawn import constants, variables
from .observation import calls_noted, results_noted
from .question import Demand, Part, Question, ValueQuestion
from .readings import Other
from .sentences import Between, Table, Wrong
from .tensorflow_state import traced_anew

__all__ = [
    "Between",
    "Callout",
    "Demand",
    "Other",
    "Part",
    "Question",
    "Table",
    "ValueQuestion",
    "Variant",
    "Wrong",
    "calls_noted",
    "constants",
    "listen_to_operations",
    "results_noted",
    "traced_anew",
    "variables",
]
