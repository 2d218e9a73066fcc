"""What a notebook of the course may import.

Importing this package is quick and does not import TensorFlow. Each name below is loaded from its
module when it is first used; the first that needs TensorFlow imports it, quietly, and starts
nothing: that is left to ``start_lesson``, or to the first operation.
"""

from importlib import import_module

from .course.starting import importing

_NAMES = {
    "course.checking": "check",
    "course.lesson_map": "plot_lesson_map",
    "course.predicting": "predict",
    "course.resetting": "reset",
    "course.session": "start_lesson",
    "course.standing": "status",
    "datasets": "load_digits load_mnist make_classification make_cloud make_line make_quadratic "
    "mnist_source",
    "figures.images": "show_images",
    "figures.lines": "plot_error_curve plot_gradient_norms plot_history",
    "figures.surface": "plot_loss_surface",
    "gradients.check": "check_gradients GradientReport",
    "gradients.derivatives": "hessian hessian_vector_product jacobian",
    "gradients.differences": "central_difference directional_derivative forward_difference",
    "tape.drawing.moving": "play_tape",
    "tape.drawing.still": "plot_tape",
    "tape.explaining": "explain_gradients ExplainingTape Explanation",
    "tape.explaining.cheat_sheet": "cheat_sheet",
    "tape.recording": "record_tape",
}
_HOME = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = list(_HOME)


def __getattr__(name: str) -> object:
    """Load a public name from its module on first use (PEP 562)."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    with importing():
        value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(_HOME))
