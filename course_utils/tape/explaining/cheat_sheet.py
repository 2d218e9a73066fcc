"""Every cause of None, zero and NaN on one page: a line of code that has it, and what to write."""

from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from .messages import WORDS

__all__ = ["EXAMPLES", "CheatSheet", "Example", "cheat_sheet"]

_GROUPS = {
    "None: no path leads back": "",
    "Zero: a path, and its slopes come to 0": "zero",
    "Infinite, or not a number": "not-finite",
}


class Example(NamedTuple):
    """A line that loses a gradient, what to write, and the words for ``WORDS`` of its cause."""

    key: str
    line: str
    instead: str
    facts: Mapping[str, str] = {}

    @property
    def says(self) -> str:
        """The first sentence of what the explanation says."""
        names = defaultdict(str, {"x": "x", "y": "y", "tape": "tape", **self.facts})
        return WORDS[self.key][0].format_map(names).partition(". ")[0].rstrip(".")


EXAMPLES = (
    Example("not-watched", "y = x**2  # x = tf.constant(3.0)", "tape.watch(x)  # before y = x**2"),
    Example(
        "not-watched variable",
        "with tf.GradientTape(watch_accessed_variables=False) as tape:",
        "tape.watch(x)  # before the first use",
    ),
    Example(
        "not-watched reset",
        "tape.reset()  # behind tape.watch(x)",
        "tape.watch(x)  # again, behind tape.reset()",
    ),
    Example(
        "not-trainable",
        "x = tf.Variable(3.0, trainable=False)",
        "x = tf.Variable(3.0)  # or tape.watch(x)",
    ),
    Example("watched-late", "tape.watch(x)  # behind y = x**2", "tape.watch(x)  # before y = x**2"),
    Example("outside-tape before", "z = x**2  # above the block", "z = x**2  # inside the block"),
    Example("outside-tape after", "y = 2 * z  # behind the block", "y = 2 * z  # inside the block"),
    Example(
        "outside-tape reset", "tape.reset()  # behind z = x**2", "tape.reset()  # before z = x**2"
    ),
    Example(
        "recording-paused",
        "y = x**2  # inside tape.stop_recording()",
        "y = x**2  # outside tape.stop_recording()",
    ),
    Example(
        "left-tensorflow",
        "y = tf.constant(np.square(x))",
        "y = tf.square(x)",
        {"way": "np.square(x)"},
    ),
    Example(
        "swapped-arguments", "tape.gradient(x, y)", "tape.gradient(y, x)", {"x": "y", "y": "x"}
    ),
    Example("integer-dtype own", "x = tf.Variable(3)", "x = tf.Variable(3.0)", {"dtype": "int32"}),
    Example(
        "integer-dtype",
        "y = tf.cast(tf.cast(x, tf.int32), tf.float32)",
        "y = x + tf.stop_gradient(tf.floor(x) - x)",
        {"dtype": "int32"},
    ),
    Example(
        "no-gradient-op",
        "y = tf.round(x)",
        "y = x + tf.stop_gradient(tf.round(x) - x)",
        {"op": "Round"},
    ),
    Example("gradient-stopped", "y = tf.stop_gradient(x**2)", "y = x**2"),
    Example("state-assignment", "v.assign(x**2)  # then y = 2 * v", "v = x**2  # then y = 2 * v"),
    Example("rebound-source variable", "x = x - 0.1", "x.assign_sub(0.1)"),
    Example(
        "rebound-source in loop",
        "x = x - 0.1 * gradient  # in a loop of a tf.function",
        "x.assign_sub(0.1 * gradient)",
    ),
    Example(
        "rebound-source made", "tape.gradient(y, x[0])", "tape.gradient(y, x)[0]", {"x": "x[0]"}
    ),
    Example(
        "rebound-source copied",
        "z = tf.convert_to_tensor(x)  # above the block",
        "z = tf.convert_to_tensor(x)  # inside the block",
        {"copy": "z"},
    ),
    Example(
        "rebound-source equal",
        "z = 1 * x.read_value()  # above the block",
        "z = 1 * x.read_value()  # inside the block",
    ),
    Example(
        "rebound-source new variable", "x = tf.Variable(2.9)  # behind y = x**2", "x.assign(2.9)"
    ),
    Example(
        "rebound-source new model",
        "model = make()  # behind y = model(data)",
        "y = 2 * y  # and no second model",
        {"x": "the model's kernel"},
    ),
    Example("constant-target", "y = tf.constant(9.0)", "y = x**2"),
    Example("unconnected used", "y = 2 * other  # without z = x**2", "y = 2 * z"),
    Example("unconnected", "y = other**2  # without x", "y = x * other**2"),
    Example(
        "outer-tape-missed",
        "y = inner.gradient(z, x)  # behind the outer block",
        "y = inner.gradient(z, x)  # inside the outer block",
    ),
    Example(
        "graph-loop",
        "@tf.function  # on: for each in dataset",
        "# no tf.function around the loop over the dataset",
        {"op": "ScanDataset"},
    ),
    Example(
        "zero-saturated",
        "y = tf.nn.relu(x - 5)  # x = 3.0",
        "y = tf.nn.leaky_relu(x - 5)",
        {"op": "Relu", "why": "every input was zero or negative", "values": "-2"},
    ),
    Example(
        "zero-branch",
        "y = tf.where(x > 5.0, x**2, 1.0)  # x = 3.0",
        "y = tf.where(x > 2.0, x**2, 1.0)  # if that was meant",
        {"op": "tf.where"},
    ),
    Example(
        "zero-derivative",
        "x = tf.Variable(0.0)  # y = x**2 is flat there",
        "x = tf.Variable(3.0)  # to see a slope",
        {"why": "Pow passes on a zero for these values"},
    ),
    Example(
        "not-finite",
        "y = tf.sqrt(x)  # x = 0.0",
        "y = tf.sqrt(x + 1e-12)",
        {"op": "Sqrt", "gradient": "infinite", "values": "0"},
    ),
    Example(
        "not-finite",
        "y = tf.where(x > 0.0, 1 / x, 0.0)  # x = 0.0",
        "y = tf.where(x > 0.0, 1 / tf.where(x > 0.0, x, 1.0), 0.0)",
        {"op": "RealDiv", "gradient": "NaN", "values": "1, 0"},
    ),
    Example(
        "not-finite",
        "y = tf.exp(50 * x) / tf.exp(50 * x)  # x = 3.0",
        "y = tf.exp(50 * x - 50 * x)",
        {"op": "RealDiv", "gradient": "NaN", "values": "inf, inf"},
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
