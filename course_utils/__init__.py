"""What a notebook of the course may import.

Importing this package is quick and does not import TensorFlow: each name below is loaded from its
module when it is first used.
"""

from importlib import import_module

_HOME = {
    "central_difference": "finite_differences",
    "check": "exercises",
    "check_gradients": "gradient_checks",
    "directional_derivative": "finite_differences",
    "forward_difference": "finite_differences",
    "GradientReport": "gradient_checks",
    "hessian": "derivatives",
    "hessian_vector_product": "derivatives",
    "jacobian": "derivatives",
    "start_lesson": "session",
}

__all__ = list(_HOME)


def __getattr__(name: str) -> object:
    """Load a public name from its module on first use (PEP 562)."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(_HOME))
