"""Words for what a tape holds: plain names of operations, short texts of values."""

import re

import numpy as np
import numpy.typing as npt

__all__ = ["operation_label", "value_text"]

_PLAIN_NAMES = {
    "AddV2": "add",
    "Sub": "subtract",
    "Mul": "multiply",
    "RealDiv": "divide",
    "DivNoNan": "divide",
    "FloorMod": "modulo",
    "FloorDiv": "floor divide",
    "Neg": "negate",
    "Pow": "power",
    "Log1p": "log(1 + ·)",
    "Expm1": "exp(·) − 1",
    "Rsqrt": "1 ÷ √",
    "Reciprocal": "reciprocal",
    "MatMul": "matmul",
    "BatchMatMulV2": "matmul",
    "BatchMatMulV3": "matmul",
    "BiasAdd": "add bias",
    "L2Loss": "half sum of squares",
    "SquaredDifference": "squared difference",
    "Prod": "product",
    "SelectV2": "where",
    "ClipByValue": "clip",
    "StopGradient": "stop_gradient",
    "Rint": "round",
    "ArgMax": "argmax",
    "ArgMin": "argmin",
    "OneHot": "one_hot",
    "GatherV2": "gather",
    "ResourceGather": "gather",
    "GatherNd": "gather_nd",
    "ConcatV2": "concat",
    "Pack": "stack",
    "Unpack": "unstack",
    "StridedSlice": "slice",
    "ExpandDims": "expand_dims",
    "BroadcastTo": "broadcast",
    "TopKV2": "top_k",
    "LogSoftmax": "log softmax",
    "SoftmaxCrossEntropyWithLogits": "softmax cross-entropy",
    "SparseSoftmaxCrossEntropyWithLogits": "softmax cross-entropy",
    "Conv2D": "conv2d",
    "MaxPool": "max pool",
    "AvgPool": "average pool",
    "FusedBatchNormV3": "batch norm",
    "CustomGradient": "custom gradient",
    "EagerPyFunc": "py_function",
    "LogicalAnd": "and",
    "LogicalOr": "or",
    "LogicalNot": "not",
    "GreaterEqual": "≥",
    "Greater": ">",
    "LessEqual": "≤",
    "Less": "<",
    "Equal": "=",
    "NotEqual": "≠",
}
# TensorFlow's own name, in small letters, is already the plain word for these.
_SMALL_LETTERS = (
    "Abs Exp Log Sin Cos Tan Tanh Sinh Cosh Asin Acos Atan Sqrt Square Sign Floor Ceil Round Sum "
    "Mean Max Min All Any Maximum Minimum Sigmoid Softplus Softmax Relu Elu Selu Erf Reshape "
    "Transpose Squeeze Tile Split Identity Cumsum Einsum Inv"
).split()
_SYMBOLS = {"AddV2": "+", "Sub": "−", "Mul": "×", "RealDiv": "÷", "FloorMod": "mod"}
_COMPARISONS = {"Greater", "GreaterEqual", "Less", "LessEqual", "Equal", "NotEqual"}
_WITH_NUMBER = {"AddV2": "add", "Sub": "subtract", "Mul": "multiply by", "RealDiv": "divide by"}
_POWERS = {2.0: "square", 3.0: "cube"}
_SUPERSCRIPT = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def operation_label(
    op_type: str,
    operands: list[str | float | None],
    *,
    same_operand: bool = False,
    dtype: str = "",
) -> str:
    """Say in a learner's words what an operation does; its type where there is no better word.

    An operand is the name of a source, the number of a scalar constant, or None for any other;
    ``same_operand`` says that both are one and the same value. Only a cast needs its ``dtype``.

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
    plain = _PLAIN_NAMES.get(op_type, op_type.lower() if op_type in _SMALL_LETTERS else op_type)
    if len(operands) != 2:
        return plain
    left, right = operands
    if op_type == "Pow":
        return _power(left, right)
    if same_operand and op_type in _SYMBOLS:
        return f"{left} {_SYMBOLS[op_type]} {left}" if left else f"{plain} by itself"
    if isinstance(left, float) == isinstance(right, float):
        return plain
    if op_type in _COMPARISONS:
        return f"{_word(left)} {plain} {_word(right)}".strip()
    if op_type in _SYMBOLS and left is not None and right is not None:
        return f"{_word(left)} {_SYMBOLS[op_type]} {_word(right)}"
    if op_type not in _WITH_NUMBER:
        return plain
    if isinstance(left, float) and op_type == "Sub":
        return f"subtract from {_number(left)}"
    if isinstance(left, float) and op_type == "RealDiv":
        return f"{_number(left)} ÷ …"
    return f"{_WITH_NUMBER[op_type]} {_word(left if isinstance(left, float) else right)}"


def value_text(value: npt.ArrayLike | None, *, most: int = 4) -> str:
    """Write a value in one short line: the shape, if it has more than ``most`` numbers.

    None stands for a value that NumPy cannot hold.

    >>> value_text(np.float32(9)), value_text(np.array([1.0, 2.5])), value_text(np.zeros((3, 4)))
    ('9.0', '[1.0, 2.5]', '(3, 4)')
    """
    if value is None:
        return "?"
    value = np.asarray(value)
    if value.size == 0 or value.size > most:
        return "(" + ", ".join(str(n) for n in value.shape) + ("," if value.ndim == 1 else "") + ")"
    if value.ndim:
        return "[" + ", ".join(value_text(part) for part in value) + "]"
    if value.dtype.kind == "f" or value.dtype.name == "bfloat16":
        text = f"{float(value) + 0.0:.4g}"  # 0.0 for -0.0
        return (text + ".0" if text.lstrip("-").isdigit() else text).replace("-", "−")
    return str(value.item()).replace("-", "−")


def _power(base: str | float | None, exponent: str | float | None) -> str:
    if isinstance(exponent, float):
        number = _number(exponent).replace("−", "-")
        if not isinstance(base, str):
            return _POWERS.get(exponent, f"power {_number(exponent)}")
        is_whole = number.lstrip("-").isdigit()
        return f"{base}{number.translate(_SUPERSCRIPT)}" if is_whole else f"{base} ^ {number}"
    return f"{_number(base)} ^ {exponent or '…'}" if isinstance(base, float) else "power"


def _word(operand: str | float | None) -> str:
    return _number(operand) if isinstance(operand, float) else operand or ""


def _number(value: float) -> str:
    return f"{value:.4g}".replace("-", "−")
