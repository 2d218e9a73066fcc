"""The plain data that a recording consists of: operations, values and gradients."""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

import numpy as np

from .labels import value_text
from .recorder import LayerCall

__all__ = ["RecordedOperation", "RecordedValue", "TapeRecording"]


@dataclass(frozen=True, eq=False)
class RecordedValue:
    """A value of the forward pass and what the backward pass brought to it.

    ``name`` is that of a source or target, or ``v1``, ``v2``, ... in the order of computing.
    ``value`` is None if NumPy cannot hold it. ``gradient`` is the derivative of the (summed)
    targets with respect to the value, with its shape. It is None if no path leads from the value to
    them.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    value: np.ndarray | None
    gradient: np.ndarray | None


@dataclass(frozen=True)
class RecordedOperation:
    """An operation: numbers in ``inputs`` and ``outputs`` are positions in the recording's values.

    Constants, and what was computed only from constants, are left out. ``op_type`` is TensorFlow's
    name, such as ``"AddV2"``, and ``label`` the plain one, such as ``"add"`` or ``"x²"``.
    ``layers`` are the Keras layers that it ran in, the outermost first. ``line`` is the line of the
    program that ran it, or empty if it cannot be read. For each input,

    - ``passes_gradient`` tells whether gradient flowed through this operation to it;
    - ``passed_on`` is the gradient that the operation sends there for its upstream gradient (for
      zero if there is none), or None if the operation has no gradient for this input;
    - ``slopes`` is what the upstream gradient is multiplied by. It is an array of the input's shape
      if each entry moves only the entry of the output at the same place, or if the output is one
      number. Otherwise it is None.
    """

    op_type: str
    label: str
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    passes_gradient: tuple[bool, ...]
    layers: tuple[LayerCall, ...]
    line: str
    passed_on: tuple[np.ndarray | None, ...]
    slopes: tuple[np.ndarray | None, ...]


@dataclass(frozen=True, eq=False)
class TapeRecording:
    """What ``record_tape`` returns: values, and the operations in the order in which they ran.

    ``sources`` and ``targets`` are the positions of inputs and results in ``values``. ``weights``
    are those sources that the function was not given as inputs, but read.
    """

    values: tuple[RecordedValue, ...]
    operations: tuple[RecordedOperation, ...]
    sources: tuple[int, ...]
    targets: tuple[int, ...]
    weights: tuple[int, ...]

    def __getitem__(self, name: str) -> RecordedValue:
        """Find a value by its name."""
        for value in self.values:
            if value.name == name:
                return value
        names = ", ".join(value.name for value in self.values)
        raise KeyError(f"no value is called {name!r}; the recording holds {names}")

    def _rows(self) -> Iterator[tuple[str, ...]]:
        """Give the heads, then for each value how and from what it came about, and its numbers."""
        yield "Value", "Computed as", "From", "Forward", "Gradient"
        origin = {position: ("source", "") for position in self.sources}
        for operation in self.operations:
            read = ", ".join(self.values[i].name for i in operation.inputs)
            origin |= dict.fromkeys(operation.outputs, (operation.label, read))
        for position, value in enumerate(self.values):
            gradient = "no gradient" if value.gradient is None else value_text(value.gradient)
            how = origin.get(position, ("constant", ""))
            yield value.name, *how, value_text(value.value), gradient

    def __str__(self) -> str:
        """Write a table of plain text."""
        heads, *rows = self._rows()
        rows.insert(0, tuple(map(str.lower, heads)))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ("  ".join(map(str.ljust, row, widths)) for row in rows)
        return "\n".join(line.rstrip() for line in lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        heads, *rows = self._rows()
        head = "".join(f'<th scope="col">{each}</th>' for each in heads)
        body = ""
        for name, *rest in rows:
            cells = "".join(f"<td>{escape(cell)}</td>" for cell in rest)
            body += f'<tr><th scope="row">{escape(name)}</th>{cells}</tr>'
        return (
            "<table><caption>What the tape recorded</caption>"
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        )
