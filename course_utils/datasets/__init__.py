"""The course's data: MNIST from wherever it can be had, small digits, sets made from a seed."""

from .digits import load_digits
from .mnist import load_mnist, mnist_source
from .synthetic import make_classification, make_cloud, make_line, make_quadratic

__all__ = [
    "load_digits",
    "load_mnist",
    "make_classification",
    "make_cloud",
    "make_line",
    "make_quadratic",
    "mnist_source",
]
