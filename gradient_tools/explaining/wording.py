"""Put a finding into words, with the user's own names and lines."""

import re

from ..recording.places import Place
from .case import Case, Source
from .explanation import Explanation, Gradient
from .findings import (
    AnotherModel,
    Cast,
    Converted,
    Copy,
    EarlierUse,
    Finding,
    Flat,
    Kept,
    NoSlope,
    NotExamined,
    NotFinite,
    Rebinding,
    SecondOfLabels,
    Unused,
)
from .messages import FINITE, Cause
from .rewriting import as_float, smooth, with_assign, without, without_conversion
from .syntax import rewrite_call

__all__ = ["explanation_of"]

_UNCHOSEN = (
    " tf.where did not choose this branch, but it still sends the branch a gradient of 0, and 0 "
    "times infinity is NaN."
)
_RULED_OUT = (
    " Ruled out: an unwatched source, an operation without a gradient, an integer dtype, NumPy, "
    "an assignment, code outside the block."
)
# What has no name in the program is no code.
_PLACEHOLDER = re.compile(r"`(the source|source \d+|the target|sources)`")
_STEEPER = {
    "Relu": "tf.nn.leaky_relu(x)  # or smaller weights and learning rate",
    "Sign": "tf.tanh(x)  # a smooth step, in place of tf.sign(x)",
}
_CURVED = {
    **dict.fromkeys(
        ("Relu", "Relu6", "LeakyRelu"),
        'tf.tanh(x)  # a smooth activation; in a Keras layer, activation="tanh"',
    ),
    "Abs": "tf.sqrt(x**2 + 1e-6)  # smooth, in place of tf.abs(x)",
    "Maximum": "b + tf.nn.softplus(a - b)  # smooth, in place of tf.maximum(a, b)",
    "Minimum": "a - tf.nn.softplus(a - b)  # smooth, in place of tf.minimum(a, b)",
}
_AGAIN_DERIVED = (
    "# a smooth function in place of one whose second derivative is 0, such as relu, abs or maximum"
)
_NOTHING_FLAT = (
    "Ruled out: a dead ReLU or another flat operation, a branch not taken, a lost connection."
)


def explanation_of(case: Case, source: Source, kind: Gradient, finding: Finding) -> Explanation:
    """Put a finding into words, with the user's own names."""
    cause, place, facts = finding.cause, finding.place, finding.facts
    line = _code_of(place).rstrip(":") if place else ""
    words = {
        "x": source.name,
        "y": case.target_name,
        "tape": case.tape_name,
        "op": facts.operation,
        "line": line or "...",
        "watchable": source.watchable(case.sources_text),
        "rewritten": _rewritten(cause, facts.operation, line),
        "smooth": _smooth(facts.operation, line),
        "note": _RULED_OUT,
        **_words_of(finding, source.name, line, case.sources_text),
    }
    if case.recorder.limited:
        words["note"] = f" The diagnosis is limited: {case.recorder.limited}."
    message = _PLACEHOLDER.sub(r"\1", cause.says.format_map(words).strip())
    if not finding.is_sure:
        message = f"Perhaps {message[0].lower()}{message[1:]}"
    if message.startswith("the "):  # a name that the user gave keeps its letters
        message = message[0].upper() + message[1:]
    shown = "" if facts.operation == "ReadVariableOp" else facts.operation
    where = Place(place.file, place.line, shown) if place else None
    return Explanation(
        source.name, kind, cause.label, where, message, cause.write.format_map(words)
    )


def _code_of(place: Place) -> str:
    """Return a line of source without its comment."""
    return place.text.partition("  #")[0].rstrip()


def _words_of(finding: Finding, name: str, line: str, sources: str) -> dict[str, str]:
    """Return the words that the facts of a finding give to its message."""
    facts = finding.facts
    match facts:
        case Cast():
            if finding.cause is Cause.INTEGER_SOURCE:
                rewritten = as_float(name, line, line.startswith(f"{name} = "))
            else:
                rewritten = rewrite_call(line, "cast") or f"# without the cast: {line}"
            return {"dtype": facts.dtype, "rewritten": rewritten}
        case Converted():
            way = f"`{facts.code}`" if facts.code else "This line"
            return {"way": way, "rewritten": without_conversion(facts.code, line)}
        case EarlierUse():
            return {"used": f" ({facts.used})" if facts.used else ""}
        case Rebinding():
            return {"assign": with_assign(facts.statement)}
        case Copy():
            return {"copy": facts.name}
        case Kept():
            made_text = _code_of(facts.made) if facts.made else ""
            return {"kept": facts.name, "made": str(facts.made), "made_text": made_text}
        case AnotherModel():
            swapped = _as_twin(facts, sources)
            return {"other": facts.used, "owner": facts.owner, "swapped": swapped}
        case Unused():
            return {"ruled_out": facts.ruled_out}
        case Flat():
            remedy = _remedy(facts.operation, facts.values)
            return {
                "why": facts.why,
                "values": facts.values,
                "epsilon": facts.epsilon,
                "remedy": remedy,
            }
        case NoSlope():
            another = f"# compare with the gradient at another value of {name}: is it 0 there, too?"
            if facts.of_derivative:
                return {"why": facts.why, "nothing_flat": "", "another": _AGAIN_DERIVED}
            return {"why": facts.why, "nothing_flat": _NOTHING_FLAT, "another": another}
        case SecondOfLabels():
            return {"labels": facts.labels, "logits": facts.logits}
        case NotFinite():
            return _words_of_not_finite(facts, finding.place, name)
        case NotExamined():  # nothing is ruled out by what was not examined
            return {"why": facts.why, "note": f" The diagnosis stopped: {facts.why}."}
    return {}


def _words_of_not_finite(facts: NotFinite, place: Place | None, name: str) -> dict[str, str]:
    is_earlier = facts.earlier not in (None, place)
    already = f" A value was already NaN or infinite in the forward pass, first at {facts.earlier}."
    operation = facts.earlier.operation if facts.earlier else facts.operation
    remedy = _remedy(operation, facts.values)
    if facts.unchosen:
        both = f"{name}, 1.0" if facts.unchosen == "then" else f"1.0, {name}"
        remedy = f"safe = tf.where(condition, {both})  # then compute the branch from safe"
    return {
        "values": facts.values,
        "gradient": facts.gradient,
        "earlier": already if is_earlier else "",
        "unchosen": _UNCHOSEN if facts.unchosen else "",
        "remedy": remedy,
    }


def _rewritten(cause: Cause, operation: str, line: str) -> str:
    """Return the line as it should read, as far as the operation tells."""
    if cause is Cause.GRADIENT_STOPPED:
        return without("stop_gradient", line)
    return smooth(operation, line)


def _smooth(operation: str, line: str) -> str:
    return _CURVED.get(
        operation, f"# use a smooth function in place of {operation} in this line: {line}"
    )


def _as_twin(facts: AnotherModel, sources: str) -> str:
    """Return the sources as they should be written, of the model that was used."""
    owner = rf"\b{re.escape(facts.owner)}\b"
    if facts.owner and facts.owner != sources and re.search(owner, sources):
        return re.sub(owner, facts.used, sources)
    return f"{facts.used}.trainable_variables" if facts.is_model else facts.used


def _remedy(operation: str, values: str) -> str:
    """Return what keeps the input of an operation where it has a finite slope."""
    if operation in FINITE:
        return f"{FINITE[operation]}  # keeps the input of {operation} where its slope is finite"
    if "nan" in values:
        return "tf.debugging.assert_all_finite(data, 'data')  # a value was NaN before this line"
    otherwise = (
        f"# bring the input of {operation} into the range where its slope is finite and not 0"
    )
    return _STEEPER.get(operation, otherwise)
