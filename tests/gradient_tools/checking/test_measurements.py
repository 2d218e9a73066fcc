"""An error bar covers what it is to cover: rounding, bending and any one kink."""

import numpy as np
import pytest
import tensorflow as tf

from gradient_tools.checking.contraction import Contraction
from gradient_tools.checking.measurements import LeafProbe
from gradient_tools.checking.points import find_point

STEP = 1 / 16


def probe_of(f, x, gradient, step=None):
    rng = np.random.default_rng(0)
    contraction = Contraction(find_point(f, x), 1, rng)
    contraction.measure_noise(rng)
    return LeafProbe(contraction, 0, np.asarray(gradient, np.float64), None, step)


@pytest.mark.parametrize("distance", np.linspace(-0.09, 0.09, 37))
@pytest.mark.parametrize("jump", [0.3, -1.0])
def test_a_fit_covers_one_kink_at_any_distance(distance, jump):
    probe = probe_of(lambda x: x + jump * tf.nn.relu(x - distance), np.float64(0.0), 1.0, STEP)
    right = 1.0 + jump * (distance < 0)
    rough = probe.measure(np.float64(1.0), STEP)
    fine = probe.measure_finely(rough)
    assert abs(fine.numeric - right) <= fine.error_bar + 1e-12


@pytest.mark.parametrize("power", [2, 3, 5])
def test_a_fit_covers_what_bends(power):
    probe = probe_of(lambda x: (1 + x) ** power, np.float64(0.0), power, STEP)
    fine = probe.measure_finely(probe.measure(np.float64(1.0), STEP))
    assert abs(fine.numeric - power) <= fine.error_bar < 0.05 * power


def test_a_fit_covers_rounding_and_leaves_less_of_it():
    rng = np.random.default_rng(0)
    x = rng.normal(size=20).astype("float32")
    probe = probe_of(lambda x: 100 + tf.reduce_sum(tf.sin(x)), x, np.cos(np.float64(x)))
    finer = []
    for _ in range(50):
        direction = rng.normal(size=20)
        direction /= np.linalg.norm(direction)
        rough = probe.measure(direction, 1e-3)
        fine = probe.measure_finely(rough)
        assert fine.agrees
        finer.append(fine.rounding / rough.rounding)
    assert np.median(finer) < 0.5
