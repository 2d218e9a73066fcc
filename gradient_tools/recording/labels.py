"""Words for what a tape holds: plain names of operations, short texts of values."""

import re

import numpy as np
import numpy.typing as npt

__all__ = ["operation_label", "value_text"]

# By TensorFlow's name of an operation, without its version.
_COMPARISONS = {"Less": "<", "LessEqual": "≤", "Equal": "=", "NotEqual": "≠"}
_COMPARISONS |= {"Greater": ">", "GreaterEqual": "≥"}
_PLAIN_NAMES = (
    _COMPARISONS
    | {"LogicalAnd": "and", "LogicalOr": "or", "LogicalNot": "not"}
    | {"Add": "add", "Sub": "subtract", "Mul": "multiply", "RealDiv": "divide", "Neg": "negate"}
    | {"DivNoNan": "divide", "FloorDiv": "floor divide", "FloorMod": "modulo", "Rint": "round"}
    | {"Pow": "power", "Log1p": "log(1 + ·)", "Expm1": "exp(·) − 1", "Rsqrt": "1 ÷ √"}
    | {"L2Loss": "half sum of squares", "SquaredDifference": "squared difference"}
    | {"Prod": "product", "BatchMatMul": "matmul", "BiasAdd": "add bias"}
    | {"Select": "where", "ClipByValue": "clip", "StopGradient": "stop_gradient"}
    | {"OneHot": "one_hot", "TopK": "top_k", "GatherNd": "gather_nd", "ResourceGather": "gather"}
    | {"Pack": "stack", "Unpack": "unstack", "StridedSlice": "slice"}
    | {"ExpandDims": "expand_dims", "BroadcastTo": "broadcast"}
    | {"MaxPool": "max pool", "AvgPool": "average pool", "FusedBatchNorm": "batch norm"}
    | {"LogSoftmax": "log softmax", "SoftmaxCrossEntropyWithLogits": "softmax cross-entropy"}
    | {"SparseSoftmaxCrossEntropyWithLogits": "softmax cross-entropy"}
    | {"CustomGradient": "custom gradient", "EagerPyFunc": "py_function"}
)
# TensorFlow's own name, in small letters, is already the plain word for these.
_SMALL_LETTERS = (
    "Abs Exp Log Sin Cos Tan Tanh Sinh Cosh Asin Acos Atan Sqrt Square Sign Floor Ceil Round Sum "
    "Mean Max Min ArgMax ArgMin All Any Maximum Minimum Sigmoid Softplus Softmax Relu Elu Selu Erf "
    "Inv Reciprocal MatMul Einsum Conv2D Cumsum Reshape Transpose Squeeze Tile Split Concat Gather "
    "Identity"
).split()
_SYMBOLS = {"Add": "+", "Sub": "−", "Mul": "×", "RealDiv": "÷", "FloorMod": "mod"}
_WITH_NUMBER = {"Add": "add", "Sub": "subtract", "Mul": "multiply by", "RealDiv": "divide by"}
_SUPERSCRIPT = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def operation_label(
    op_type: str, operands: list[str | float | None], *, same_operand: bool = False, dtype: str = ""
) -> str:
    """Say in a learner's words what an operation does, or its type if there is no better word.

    An operand is the name of a source, the number of a scalar constant, or None for any other.
    ``same_operand`` says that both are the same value. Only a cast needs its ``dtype``.

    >>> operation_label("Pow", ["x", 2.0])
    'x²'
    >>> operation_label("Mul", [None, 0.5]), operation_label("Betainc", [None, None, None])
    ('multiply by 0.5', 'Betainc')
    """
    if op_type == "Cast":
        return f"cast to {dtype}"
    if op_type == "AddN":
        return f"sum of {len(operands)}"
    if op_type == "Square" and isinstance(operands[0], str):
        return f"{operands[0]}²"
    if op_type.startswith(("__forward_", "__inference_")):
        return "function " + re.sub(r"^__(forward|inference)_|_\d+$", "", op_type).strip("_<>")
    name = re.sub(r"V\d$", "", op_type)
    plain = name.lower() if name in _SMALL_LETTERS else _PLAIN_NAMES.get(name, op_type)
    if len(operands) != 2:
        return plain
    left, right = operands
    first, second = _word(left), _word(right)
    if name == "Pow":
        return _power(left, right)
    if same_operand and name in _SYMBOLS:
        return f"{first} {_SYMBOLS[name]} {first}" if left else f"{plain} by itself"
    if isinstance(left, float) == isinstance(right, float):
        return plain
    if name in _COMPARISONS:
        return f"{first} {plain} {second}".strip()
    if name in _SYMBOLS and first and second:
        return f"{first} {_SYMBOLS[name]} {second}"
    if name == "Sub" and first:
        return f"subtract from {first}"
    if name == "RealDiv" and first:
        return f"{first} ÷ …"
    return f"{_WITH_NUMBER[name]} {first or second}" if name in _WITH_NUMBER else plain


def value_text(value: npt.ArrayLike | None, *, most: int = 4) -> str:
    """Write a value in one short line, or its shape if it has more than ``most`` numbers.

    None stands for a value that NumPy cannot hold.

    >>> value_text(np.float32(9)), value_text(np.array([1.0, 2.5])), value_text(np.zeros((3, 4)))
    ('9.0', '[1.0, 2.5]', '(3, 4)')
    """
    if value is None:
        return "?"
    value = np.asarray(value)
    if value.size == 0 or value.size > most:
        return str(value.shape)
    if value.ndim:
        return "[" + ", ".join(value_text(part) for part in value) + "]"
    if value.dtype.kind == "f" or value.dtype.name == "bfloat16":
        text = f"{float(value) + 0.0:.4g}"  # 0.0 for -0.0
        return (text + ".0" if text.lstrip("-").isdigit() else text).replace("-", "−")
    return str(value.item()).replace("-", "−")


def _power(base: str | float | None, exponent: str | float | None) -> str:
    if not isinstance(exponent, float):
        return f"{_word(base)} ^ {exponent or '…'}" if isinstance(base, float) else "power"
    if not isinstance(base, str):
        return {2.0: "square", 3.0: "cube"}.get(exponent, f"power {_word(exponent)}")
    number = f"{exponent:.4g}"
    is_whole = number.lstrip("-").isdigit()
    return f"{base}{number.translate(_SUPERSCRIPT)}" if is_whole else f"{base} ^ {number}"


def _word(operand: str | float | None) -> str:
    if isinstance(operand, float):
        return f"{operand:.4g}".replace("-", "−")
    return operand or ""
