"""The course's figures but the drawn tape: each takes and returns an Axes, and never shows it."""

from course_utils.figures.images import show_images
from course_utils.figures.lines import plot_error_curve, plot_gradient_norms, plot_history
from course_utils.figures.surface import plot_loss_surface

__all__ = [
    "plot_error_curve",
    "plot_gradient_norms",
    "plot_history",
    "plot_loss_surface",
    "show_images",
]
