"""Figures are drawn without a window."""

import matplotlib

matplotlib.use("agg")
