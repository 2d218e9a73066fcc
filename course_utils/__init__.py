"""What a notebook of the course may import.

Importing this package is quick and does not import TensorFlow. Each name below is loaded from its
module when it is first used, and the first of them starts TensorFlow, quietly.
"""

from importlib import import_module

_HOME = {
    "central_difference": "finite_differences",
    "check": "exercises",
    "check_gradients": "gradient_checks",
    "directional_derivative": "finite_differences",
    "explain_gradients": "gradient_diagnosis",
    "ExplainingTape": "gradient_diagnosis",
    "Explanation": "gradient_diagnosis",
    "forward_difference": "finite_differences",
    "GradientReport": "gradient_checks",
    "hessian": "derivatives",
    "hessian_vector_product": "derivatives",
    "jacobian": "derivatives",
    "load_mnist": "datasets",
    "make_classification": "datasets",
    "make_line": "datasets",
    "make_quadratic": "datasets",
    "mnist_source": "datasets",
    "plot_error_curve": "plotting",
    "plot_gradient_norms": "plotting",
    "plot_history": "plotting",
    "plot_lesson_map": "lesson_map",
    "plot_loss_surface": "plotting",
    "plot_tape": "tape_drawing",
    "record_tape": "tape_recording",
    "show_images": "plotting",
    "start_lesson": "session",
}

__all__ = list(_HOME)


def __getattr__(name: str) -> object:
    """Load a public name from its module on first use (PEP 562)."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import_module(f"{__name__}.session").quiet_tensorflow()
    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(_HOME))
