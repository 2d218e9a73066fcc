"""Why a gradient is None, zero or not finite, said in the words of the user's program.

Start at ``tape`` (the tape that a learner uses) and ``diagnosis`` (from a call of ``gradient`` to
its explanations). From there:

- the room's own ``recording`` notes the operations around a tape; ``flow`` and ``flow_building``
  join them into a flow of data, on a walk through a ``tf.function`` that is also the way on which
  ``replay`` runs the backward pass again;
- ``program_text`` and ``syntax`` read the user's program, and ``reaching`` tells which of its
  lines can have run; ``keeping`` finds what holds a tensor, ``converting`` what was written where
  a tensor became plain numbers, and ``rewriting`` writes a line as it should read;
- ``case`` holds all that is known about one call, ``causes_of_none`` and ``causes_of_values`` ask
  the questions, with ``second_derivatives`` for a gradient of a gradient; ``notes`` and
  ``names_before`` are about gradients that are there, but perhaps not those that the user means;
- ``wording``, ``messages`` and ``explanation`` say what was found.
"""

from .explanation import Explanation, Explanations
from .tape import ExplainingTape, explain_gradients

__all__ = ["ExplainingTape", "Explanation", "Explanations", "explain_gradients"]
