"""Why a gradient is None, zero or not finite, said in the words of the user's program.

Start at ``tape`` (the tape that a learner uses) and ``diagnosis`` (from a call of ``gradient`` to
its explanations). From there:

- ``recording`` lists the operations around a tape. ``flow`` and ``flow_building`` join them into a
  flow of data, also through a ``tf.function``. ``replay`` runs the backward pass on it again.
- ``program_text`` and ``syntax`` read the user's program. ``reaching`` tells which of its lines can
  have run. ``keeping`` finds what holds a tensor. ``converting`` finds the code that turned a
  tensor into plain numbers. ``rewriting`` writes a line as it should read.
- ``case`` holds all that is known about one call. ``causes_of_none`` and ``causes_of_values`` find
  the cause, and ``second_derivatives`` does so for a gradient of a gradient. ``notes`` and
  ``names_before`` are about gradients that exist, but may not be those that the user means.
- ``messages`` lists the causes and their messages. A ``findings.Finding`` is a cause with the facts
  of one program. ``wording`` puts it into words, and ``explanation`` shows it.
"""

from .explanation import Explanation, Explanations
from .tape import ExplainingTape, explain_gradients

__all__ = ["ExplainingTape", "Explanation", "Explanations", "explain_gradients"]
