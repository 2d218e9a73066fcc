"""Where an answer lost its gradient, said of the line of the learner's own code.

An answer that returned None, or raised because of one, is called once more with an `ExplainingTape`
in place of ``tf.GradientTape``.
"""

import sys
from collections.abc import Callable
from itertools import chain

from .observation import notes_of

__all__ = ["lost_path"]


def lost_path(run: Callable[[], object], file: str) -> str:
    """Observe an answer once more, and say where a tape in it lost the path; empty if none did.

    What is asked outside ``file``, which holds the learner's code, is not explained.
    """
    from unittest.mock import patch

    import tensorflow as tf

    from gradient_tools.explaining import ExplainingTape
    from gradient_tools.recording.places import Place, calling_point

    _, of_check = calling_point(sys._getframe())  # no line of the answer, though in its file
    explained = notes_of(
        ExplainingTape, "_explained", lambda returned, tape, *_, **__: tape.explanations
    )
    with patch.object(tf, "GradientTape", ExplainingTape), explained as found:
        run()
    for explanation in chain.from_iterable(found):
        is_known = explanation.gradient == "None" and explanation.cause != "undetermined"
        at = explanation.where
        if is_known and at and at.file == file and Place(at.file, at.line) != of_check:
            line = f" at `{at.text}`" if at.text else ""
            lost = f"The gradient with respect to {explanation.source} is None{line}."
            return f"{lost} {explanation.message}"
    return ""
