"""What a notebook of the course may import.

Importing this package is quick and does not import TensorFlow. Each name below, and each of
``gradient_tools``, is loaded from its module when it is first used. The first that needs TensorFlow
imports it, quietly, and starts nothing: that is left to ``start_lesson``, or to the first
operation. Type checkers read the names in ``__init__.pyi``.
"""

from importlib import import_module
from pathlib import Path

import gradient_tools

from .extra import missing_in_words
from .tensorflow_start import importing

_NAMES = {
    "checking": ["check"],
    "lesson_map": ["plot_lesson_map"],
    "placing": ["place"],
    "predicting": ["predict"],
    "resetting": ["reset"],
    "reviewing": ["review", "warm_up"],
    "session": ["start_lesson"],
    "standing": ["status"],
    "datasets": [
        "load_digits",
        "load_mnist",
        "make_classification",
        "make_cloud",
        "make_line",
        "make_quadratic",
        "mnist_source",
    ],
    "training": ["make_train_epoch", "shift_images"],
    "figures.images": ["show_images"],
    "figures.lines": ["plot_error_curve", "plot_gradient_norms", "plot_history"],
    "figures.surface": ["plot_loss_surface"],
}
_HOME = dict.fromkeys(gradient_tools.__all__, "gradient_tools") | {
    name: f"{__name__}.{module}" for module, names in _NAMES.items() for name in names
}

__all__ = sorted(_HOME)

# A check calls what a learner wrote: its own lines are nobody's answer.
gradient_tools.tool_folders.add(str(Path(__file__).absolute().parent))


def __getattr__(name: str) -> object:
    """Load a public name from its module on first use (PEP 562)."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        with importing():
            value = getattr(import_module(_HOME[name]), name)
    except ModuleNotFoundError as error:
        if str(error.name).startswith(__name__):  # which is no package to install
            raise
        raise ModuleNotFoundError(missing_in_words(name, error), name=error.name) from None
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(_HOME))
