"""What a notebook of the course may import.

Importing this package is quick and does not import TensorFlow. Each name below is loaded from its
module when it is first used, and the first of them starts TensorFlow, quietly.
"""

from importlib import import_module

_HOME = {
    "central_difference": "gradients.differences",
    "cheat_sheet": "tape.explaining.cheat_sheet",
    "check": "course.checking",
    "check_gradients": "gradients.check",
    "directional_derivative": "gradients.differences",
    "explain_gradients": "tape.explaining",
    "ExplainingTape": "tape.explaining",
    "Explanation": "tape.explaining",
    "forward_difference": "gradients.differences",
    "GradientReport": "gradients.check",
    "hessian": "gradients.derivatives",
    "hessian_vector_product": "gradients.derivatives",
    "jacobian": "gradients.derivatives",
    "load_digits": "datasets",
    "load_mnist": "datasets",
    "make_classification": "datasets",
    "make_cloud": "datasets",
    "make_line": "datasets",
    "make_quadratic": "datasets",
    "mnist_source": "datasets",
    "play_tape": "tape.drawing.moving",
    "plot_error_curve": "figures.lines",
    "plot_gradient_norms": "figures.lines",
    "plot_history": "figures.lines",
    "plot_lesson_map": "course.lesson_map",
    "plot_loss_surface": "figures.surface",
    "plot_tape": "tape.drawing.still",
    "predict": "course.predicting",
    "record_tape": "tape.recording",
    "reset": "course.resetting",
    "show_images": "figures.images",
    "start_lesson": "course.session",
    "status": "course.standing",
}

__all__ = list(_HOME)


def __getattr__(name: str) -> object:
    """Load a public name from its module on first use (PEP 562)."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import_module(f"{__name__}.course.session").quiet_tensorflow()
    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(_HOME))
