"""Every cause of None, zero and NaN on one page: a line of code that has it, and what to write."""

from collections import defaultdict
from dataclasses import dataclass
from typing import NamedTuple

from .messages import WORDS

__all__ = ["EXAMPLES", "CheatSheet", "Example", "cheat_sheet"]

_X = "x = tf.Variable(3.0)"
_FRAME = _X + "\nwith tf.GradientTape() as tape:\n    {line}\ntape.gradient(y, x)"
_GROUPS = {
    "None: no path leads back": "",
    "Zero: a path, and its slopes come to 0": "zero",
    "Infinite, or not a number": "not-finite",
}


@dataclass(frozen=True)
class Example:
    """A line that loses a gradient, what to write, and the program around both.

    In ``frame``, ``{line}`` and ``{instead}`` are their places; without the second, what to write
    takes the place of the line. ``keeps`` says that the line stays.
    """

    key: str
    line: str
    instead: str
    frame: str = _FRAME
    keeps: bool = False
    facts: tuple[tuple[str, str], ...] = ()

    @property
    def broken(self) -> str:
        """The program that loses the gradient."""
        return _program(self.frame, self.line, "")

    @property
    def mended(self) -> str:
        """The same program with what to write instead."""
        if "{instead}" not in self.frame:
            return _program(self.frame, self.instead, "")
        return _program(self.frame, self.line if self.keeps else "", self.instead)

    @property
    def says(self) -> str:
        """The first sentence of what the explanation says."""
        names = {"x": "x", "y": "y", "tape": "tape"} | dict(self.facts)
        return WORDS[self.key][0].format_map(defaultdict(str, names)).partition(". ")[0].rstrip(".")


def _program(frame: str, line: str, instead: str) -> str:
    lines = frame.format(line=line, instead=instead).splitlines()
    return "\n".join(each for each in lines if each.strip())


_WATCHED = "x = tf.constant(3.0)\nwith tf.GradientTape() as tape:\n    {instead}\n    {line}"
_TWO = _X + "\nother = tf.Variable(2.0)\nwith tf.GradientTape() as tape:\n    z = x**2\n    {line}"
_ASK = "\ntape.gradient(y, x)"
_LATER = _X + "\nwith tf.GradientTape() as tape:\n    y = x**2\n{line}"
_BLOCK = "\nwith tf.GradientTape() as tape:\n    y = x**2\ntape.gradient(y, x)"
_ZERO = "x = tf.Variable(0.0)\nwith tf.GradientTape() as tape:\n    {line}\ntape.gradient(y, x)"
_EARLY = "\n{line}\nwith tf.GradientTape() as tape:\n    {instead}\n    y = tf.reduce_sum(2 * z)"
EXAMPLES = (
    Example(
        "not-watched",
        "y = x**2  # x = tf.constant(3.0)",
        "tape.watch(x)  # before y = x**2",
        _WATCHED + _ASK,
        keeps=True,
    ),
    Example(
        "not-watched variable",
        "with tf.GradientTape(watch_accessed_variables=False) as tape:",
        "tape.watch(x)  # before the first use",
        _X + "\n{line}\n    {instead}\n    y = x**2" + _ASK,
        keeps=True,
    ),
    Example(
        "not-watched reset",
        "tape.reset()  # behind tape.watch(x)",
        "tape.watch(x)  # again, behind tape.reset()",
        "x = tf.constant(3.0)\nwith tf.GradientTape() as tape:\n    tape.watch(x)\n    {line}\n"
        "    {instead}\n    y = x**2" + _ASK,
        keeps=True,
    ),
    Example(
        "not-trainable",
        "x = tf.Variable(3.0, trainable=False)",
        "x = tf.Variable(3.0)  # or tape.watch(x)",
        "{line}" + _BLOCK,
    ),
    Example(
        "watched-late",
        "tape.watch(x)  # behind y = x**2",
        "tape.watch(x)  # before y = x**2",
        "x = tf.constant(3.0)\nwith tf.GradientTape() as tape:\n    {instead}\n    y = x**2\n"
        "    {line}" + _ASK,
    ),
    Example(
        "outside-tape before",
        "z = x**2  # above the block",
        "z = x**2  # inside the block",
        _X + _EARLY + _ASK,
    ),
    Example(
        "outside-tape after",
        "y = 2 * z  # behind the block",
        "y = 2 * z  # inside the block",
        _X + "\nwith tf.GradientTape() as tape:\n    z = x**2\n    {instead}\n{line}" + _ASK,
    ),
    Example(
        "outside-tape reset",
        "tape.reset()  # behind z = x**2",
        "tape.reset()  # before z = x**2",
        _X + "\nwith tf.GradientTape() as tape:\n    {instead}\n    z = x**2\n    {line}\n"
        "    y = 2 * z" + _ASK,
    ),
    Example(
        "recording-paused",
        "y = x**2  # inside tape.stop_recording()",
        "y = x**2  # outside tape.stop_recording()",
        _X + "\nwith tf.GradientTape() as tape:\n    {instead}\n    with tape.stop_recording():\n"
        "        {line}\n        z = 1.0" + _ASK,
    ),
    Example(
        "left-tensorflow",
        "y = tf.constant(np.square(x))",
        "y = tf.square(x)",
        facts=(("way", "np.square(x)"),),
    ),
    Example(
        "swapped-arguments",
        "tape.gradient(x, y)",
        "tape.gradient(y, x)",
        _LATER,
        facts=(("x", "y"), ("y", "x")),
    ),
    Example(
        "integer-dtype own",
        "x = tf.Variable(3)",
        "x = tf.Variable(3.0)",
        "{line}\nwith tf.GradientTape() as tape:\n    y = x * x" + _ASK,
        facts=(("dtype", "int32"),),
    ),
    Example(
        "integer-dtype",
        "y = tf.cast(tf.cast(x, tf.int32), tf.float32)",
        "y = x + tf.stop_gradient(tf.floor(x) - x)",
        facts=(("dtype", "int32"),),
    ),
    Example(
        "no-gradient-op",
        "y = tf.round(x)",
        "y = x + tf.stop_gradient(tf.round(x) - x)",
        facts=(("op", "Round"),),
    ),
    Example("gradient-stopped", "y = tf.stop_gradient(x**2)", "y = x**2"),
    Example(
        "state-assignment",
        "v.assign(x**2)  # then y = 2 * v",
        "v = x**2  # then y = 2 * v",
        _X
        + "\nv = tf.Variable(0.0)\nwith tf.GradientTape() as tape:\n    {line}\n    y = 2 * v"
        + _ASK,
    ),
    Example(
        "rebound-source variable", "x = x - 0.1", "x.assign_sub(0.1)", _X + "\n{line}" + _BLOCK
    ),
    Example(
        "rebound-source in loop",
        "x = x - 0.1 * gradient  # in a loop of a tf.function",
        "x.assign_sub(0.1 * gradient)",
        "@tf.function\ndef descend(x):\n    for _ in tf.range(2):\n"
        "        with tf.GradientTape() as tape:\n            y = x**2\n"
        "        gradient = tape.gradient(y, x)\n        {line}\n    return gradient\n"
        "descend(tf.Variable(3.0))",
    ),
    Example(
        "rebound-source made",
        "tape.gradient(y, x[0])",
        "tape.gradient(y, x)[0]",
        "x = tf.Variable([3.0, 4.0])\nwith tf.GradientTape() as tape:\n"
        "    y = tf.reduce_sum(x**2)\n{line}",
        facts=(("x", "x[0]"),),
    ),
    Example(
        "rebound-source copied",
        "z = tf.convert_to_tensor(x)  # above the block",
        "z = tf.convert_to_tensor(x)  # inside the block",
        "x = tf.Variable([3.0, 4.0])" + _EARLY + _ASK,
        facts=(("copy", "z"),),
    ),
    Example(
        "rebound-source equal",
        "z = 1 * x.read_value()  # above the block",
        "z = 1 * x.read_value()  # inside the block",
        "x = tf.Variable([3.0, 4.0])\n{line}\n"
        "with tf.GradientTape() as tape:\n    {instead}\n    y = tf.reduce_sum(2 * z)" + _ASK,
    ),
    Example(
        "rebound-source new variable",
        "x = tf.Variable(2.9)  # behind y = x**2",
        "x.assign(2.9)",
        _LATER + _ASK,
    ),
    Example(
        "rebound-source new model",
        "model = make()  # behind y = model(data)",
        "y = 2 * y  # and no second model",
        "def make(): return keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)])\n"
        "model = make()\nwith tf.GradientTape(persistent=True) as tape:\n"
        "    y = model(tf.ones((2, 1)))\n    {line}\ntape.gradient(y, model.trainable_variables)",
        facts=(("x", "the model's kernel"),),
    ),
    Example("constant-target", "y = tf.constant(9.0)", "y = x**2"),
    Example("unconnected used", "y = 2 * other  # without z = x**2", "y = 2 * z", _TWO + _ASK),
    Example(
        "unconnected",
        "y = other**2  # without x",
        "y = x * other**2",
        _X + "\nother = tf.Variable(2.0)\nwith tf.GradientTape() as tape:\n    {line}" + _ASK,
    ),
    Example(
        "outer-tape-missed",
        "y = inner.gradient(z, x)  # behind the outer block",
        "y = inner.gradient(z, x)  # inside the outer block",
        _X + "\nwith tf.GradientTape() as tape:\n    with tf.GradientTape() as inner:\n"
        "        z = x**3\n    {instead}\n{line}" + _ASK,
    ),
    Example(
        "graph-loop",
        "@tf.function  # on: for each in dataset",
        "# no tf.function around the loop over the dataset",
        _X + "\ndataset = tf.data.Dataset.from_tensors(2.0)\n{line}\ndef total():\n    y = 0.0\n"
        "    for each in dataset:\n        y += x * each\n    return y\n"
        "with tf.GradientTape() as tape:\n    y = total()" + _ASK,
        facts=(("op", "ScanDataset"),),
    ),
    Example(
        "zero-saturated",
        "y = tf.nn.relu(x - 5)  # x = 3.0",
        "y = tf.nn.leaky_relu(x - 5)",
        facts=(("op", "Relu"), ("why", "every input was zero or negative"), ("values", "-2")),
    ),
    Example(
        "zero-branch",
        "y = tf.where(x > 5.0, x**2, 1.0)  # x = 3.0",
        "y = tf.where(x > 2.0, x**2, 1.0)  # if that was meant",
        facts=(("op", "tf.where"),),
    ),
    Example(
        "zero-derivative",
        "x = tf.Variable(0.0)  # y = x**2 is flat there",
        "x = tf.Variable(3.0)  # to see a slope",
        "{line}" + _BLOCK,
        facts=(("why", "Pow passes on a zero for these values"),),
    ),
    Example(
        "not-finite",
        "y = tf.sqrt(x)  # x = 0.0",
        "y = tf.sqrt(x + 1e-12)",
        _ZERO,
        facts=(("op", "Sqrt"), ("gradient", "infinite"), ("values", "0")),
    ),
    Example(
        "not-finite",
        "y = tf.where(x > 0.0, 1 / x, 0.0)  # x = 0.0",
        "y = tf.where(x > 0.0, 1 / tf.where(x > 0.0, x, 1.0), 0.0)",
        _ZERO,
        facts=(("op", "RealDiv"), ("gradient", "NaN"), ("values", "1, 0")),
    ),
    Example(
        "not-finite",
        "y = tf.exp(50 * x) / tf.exp(50 * x)  # x = 3.0",
        "y = tf.exp(50 * x - 50 * x)",
        facts=(("op", "RealDiv"), ("gradient", "NaN"), ("values", "inf, inf")),
    ),
)


class CheatSheet(NamedTuple):
    """What `cheat_sheet` returns: tables in a notebook, the same as text elsewhere."""

    text: str

    def __repr__(self) -> str:
        return self.text

    def _repr_markdown_(self) -> str:
        return self.text


def cheat_sheet() -> CheatSheet:
    """Return every cause of None, zero and NaN with a line that has it and what to write instead.

    The causes are those that ``ExplainingTape`` names.

    Notes
    -----
    First used in lesson 03.

    Examples
    --------
    >>> "|no-gradient-op|`y = tf.round(x)`|" in cheat_sheet().text
    True
    """
    parts = []
    for title, start in _GROUPS.items():
        rows = [each for each in EXAMPLES if _group(each.key) == start]
        table = "\n".join(
            f"|{each.key.split()[0]}|`{each.line}`|`{each.instead}`|{each.says}|" for each in rows
        )
        head = "|cause|the line|write|because|\n|---|---|---|---|"
        parts.append(f"## {title}\n\n{head}\n{table}\n")
    return CheatSheet("\n".join(parts))


def _group(key: str) -> str:
    return next((start for start in ("zero", "not-finite") if key.startswith(start)), "")
