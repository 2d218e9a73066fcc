"""The questions of lesson 19: a pendulum, a rod to mend, conditions built in, a damped step."""

from collections.abc import Callable
from typing import Any

import numpy as np

from course_utils.exercises import Callout, Part, Question

PLACES = 5  # in time, and along the rod


def constants(*arrays: np.ndarray) -> tuple:
    import tensorflow as tf

    return tuple(tf.constant(array, tf.float64) for array in arrays)


def draw_pendulums(rng: np.random.Generator) -> list[tuple]:
    def draw(n: int, damping: float) -> tuple:
        """Draw an angle that swings wide, so that its sine is another number."""
        weights = rng.uniform(0.7, 1.3, (3, 4)) * [[1], [1], [1.5]] * rng.choice([-1, 1], (3, 4))
        push = rng.uniform(0.5, 1.5), rng.uniform(1.5, 2.5)
        return weights, push, np.sort(rng.uniform(0.2, 2, (n, 1)), axis=0), damping

    first, second = draw(5, 0.4), draw(7, 1.7)
    weights, (height, rate), t, damping = first
    mirrored = weights * [[1], [1], [-1]], (-height, rate), t, damping  # no sign is all there is
    return [first, second, mirrored]


def as_pendulum(weights: np.ndarray, push: tuple, t: np.ndarray, damping: float) -> tuple:
    import tensorflow as tf

    weights, (height, rate) = tf.Variable(weights), push

    def theta(t):
        return tf.reduce_sum(tf.tanh(t * weights[0] + weights[1]) * weights[2], 1, keepdims=True)

    def push_at(t):
        return height * tf.cos(rate * t)

    return weights, theta, push_at, *constants(t), damping


def residual_and_slope(function: Callable, weights: Any, *arguments: Any) -> dict:
    """Return the residual, and the gradient of its mean square with respect to the weights."""
    import tensorflow as tf

    with tf.GradientTape() as tape:
        found = function(*arguments)
        is_of_numbers = tf.is_tensor(found) and found.dtype.is_floating
        loss = tf.reduce_mean(found**2) if is_of_numbers else tf.constant(0.0)
    return {"residual": found, "gradient": tape.gradient(loss, weights)}


def draw_rods(rng: np.random.Generator) -> list[tuple]:
    def draw(n: int) -> tuple:
        weights = rng.uniform(0.6, 1.4, (4, 3)) * rng.choice([-1, 1], (4, 3))
        material = rng.uniform(0.5, 1), rng.uniform(0.4, 0.8)
        return weights, material, rng.uniform(0.1, 1, (n, 2))

    first, second = draw(5), draw(8)
    weights, material, points = first
    mirrored = weights * [[1], [1], [1], [-1]], material, points  # no sign is all there is
    return [first, second, mirrored]


def as_rod(weights: np.ndarray, material: tuple, points: np.ndarray) -> tuple:
    import tensorflow as tf

    weights, (least, more) = tf.Variable(weights), material

    def u(points):
        t, x = points[:, :1], points[:, 1:]
        bent = tf.tanh(t * weights[0] + x * weights[1] + weights[2])
        return tf.reduce_sum(bent * weights[3], axis=1)

    def k(x):
        return least + more * x**2

    return weights, u, k, *constants(points)


def zero_of(height: float, left: float, right: float) -> float:
    """Return the share of the rod's length at which it starts at 0."""
    shares = np.roots([-height, right - left + height, left])
    return next(float(share) for share in shares if 0 < share < 1)


def draw_borders(rng: np.random.Generator) -> list[tuple]:
    def draw(length: float) -> tuple:
        left, right = rng.uniform(0.5, 1), -rng.uniform(0.5, 1)
        wave = rng.uniform(0.5, 1), rng.uniform(0.4, 0.8)  # of the start, and of the network
        # Where a factor may be 0 that is not 0 everywhere, and a time that is no place of the rod.
        t = np.append(rng.uniform(0.2, 1.8, PLACES - 4), [np.pi, 1.0, 2.0, length + 1])
        within = rng.uniform(0.1, 0.9, PLACES - 3)
        x = length * np.append(within, [1 / 3, 0.5, zero_of(wave[0], left, right)])
        return wave, left, right, length, t, x

    return [draw(2.0), draw(0.5)]


def as_border(
    wave: tuple, left: float, right: float, length: float, t: np.ndarray, x: np.ndarray
) -> tuple:
    import tensorflow as tf

    height, shift = wave

    def start(x):
        bump = height * x * (length - x) / length**2
        return left + (right - left) * x / length + bump

    def network(t, x):
        return tf.cos(t + shift) + 0.5 * tf.sin(2 * x + shift) + 1.5

    return network, start, left, right, length, *constants(t[:, None], x[:, None])


def on_the_border(
    rod: Callable, network: Callable, start: Callable, left: float, right: float, length: float,
    t: Any, x: Any,
) -> dict:  # fmt: skip
    """Return u on the border and beside it, and whether the network changes it elsewhere."""
    import tensorflow as tf

    factor = tf.Variable(1.0, dtype=tf.float64)
    u = rod(network, start, left, right, length)
    at_start = u(tf.zeros_like(t), x) if callable(u) else u
    if not callable(u) or at_start is None:
        return {"start": at_start, **dict.fromkeys("left right near free path late".split())}
    more = rod(lambda t, x: network(t, x) + factor * (1 + t * x**2), start, left, right, length)
    late = rod(
        lambda t, x: network(t, x) + x**2 * tf.nn.relu(t - length), start, left, right, length
    )
    zero, near = tf.zeros_like(t), 1e-9
    grid = tf.repeat(t, PLACES, axis=0), tf.tile(x, (PLACES, 1))
    with tf.GradientTape() as tape:
        changed = more(*grid)
    return {
        "start": at_start,
        "left": u(t, zero),
        "right": u(t, zero + length),
        "near": [u(zero + near, x), u(t, zero + near), u(t, zero + length - near)],
        "free": tf.cast(tf.abs(changed - u(*grid)) > 1e-6, tf.float64),
        "path": tape.gradient(changed, factor) is not None,
        "late": tf.cast(tf.abs(late(*grid) - u(*grid)) > 1e-6, tf.float64),
    }


def draw_fits(rng: np.random.Generator) -> list[tuple]:
    """Draw steps to take and to take back, some of a straight line."""

    def draw(distance: float, damping: float, sharp: float, sign: int = 0) -> tuple:
        centre = rng.normal(size=3)
        signs = sign or rng.choice([-1, 1], 3)
        away = distance * rng.uniform(0.9, 1.1, 3) * signs
        mix = np.concatenate([np.eye(3), 0.2 * rng.uniform(0.5, 1, (2, 3))])
        scale = rng.uniform(0.6, 1.6, 5)
        return mix, scale, np.zeros(5), sharp, centre, centre + away, damping

    # The first weight is measured three times, once wrong by far: a step that makes the squares
    # smaller, and the sum of the sizes larger.
    thrice, centre = np.eye(3)[[0, 0, 0, 1, 2]], rng.normal(size=3)
    outlier = np.array([0, 0, rng.uniform(2, 3), 0, 0])
    measured = thrice, np.ones(5), outlier, 0.0, centre, centre, 0.1
    # Of two steps to take, one makes the sum of the errors smaller, one larger.
    taken, straight = draw(0.7, 3.0, 1.0, sign=1), draw(1.0, 0.1, 0.0, sign=-1)
    # Here the largest error grows; and where there is none left, nothing gets smaller.
    apart = thrice, np.ones(5), np.array([1, 1, -1, 0, 0]), 0.0, centre, centre, 0.1
    fitted = draw(0.0, 1.0, 0.0)
    return [taken, draw(3.0, 1e-3, 1.0), straight, draw(3.2, 2e-3, 1.0), measured, apart, fitted]


def as_fit(
    mix: np.ndarray, scale: np.ndarray, offset: np.ndarray, sharp: float, centre: np.ndarray,
    w: np.ndarray, damping: float,
) -> tuple:  # fmt: skip
    import tensorflow as tf

    mix, scale, offset, centre, w = constants(mix, scale, offset, centre, w)

    def errors_of(w):
        distance = tf.linalg.matvec(mix, w - centre) - offset
        return scale * (tf.atan(distance) if sharp else distance)

    return errors_of, w, damping


def after_step(step: Callable, *arguments: Any) -> dict:
    """Return the two things that a step returns, by name."""
    found = step(*arguments)
    if not isinstance(found, tuple | list) or len(found) != 2:
        return {"weights": found, "damping": None}
    return {"weights": found[0], "damping": found[1]}


EXERCISES = (
    Question(
        id="19.1",
        title="The residual of a pendulum",
        kind="complete",
        points=2,
        draw=draw_pendulums,
        prepare=as_pendulum,
        call=residual_and_slope,
        inputs="weights push t damping",
        parts=[
            Part(
                "residual",
                "the residual",
                "Return one tensor of shape (n, 1), with one number for each time.",
            ),
            Part(
                "gradient",
                "the gradient of the mean squared residual with respect to the weights in `theta`",
            ),
        ],
        praise=(
            "The residual of a true pendulum motion is 0, and a gradient path leads from the "
            "weights to the residual."
        ),
    ),
    Question(
        id="19.3",
        title="Start and ends built in",
        kind="complete",
        points=2,
        draw=draw_borders,
        prepare=as_border,
        call=on_the_border,
        inputs="wave left right length t x",
        parts=[
            Part(
                "start",
                "u at t = 0",
                "Return a function `u(t, x)` that returns a tensor of shape (n, 1).",
            ),
            Part("left", "u at x = 0"),
            Part("right", "u at x = length"),
            Part("near", "u right next to the border"),
            Part("free", "the points inside the rod where the network changes u (1 for yes)"),
            Part("path", "the path from the network to u (1 if there is one)"),
            Part(
                "late",
                "the points where a network that changes only at late times changes u (1 for yes)",
            ),
        ],
        praise="u is right at the start and at both ends, whatever the network returns.",
    ),
    Question(
        id="19.2",
        title="A rod of changing material",
        kind="repair",
        points=3,
        draw=draw_rods,
        prepare=as_rod,
        call=residual_and_slope,
        inputs="weights material points",
        parts=[
            Part(
                "residual",
                "the residual",
                "Return one tensor of shape (n,), with one number per point.",
            ),
            Part(
                "gradient",
                "the gradient of the mean squared residual with respect to the weights in `u`",
            ),
        ],
        praise="You differentiate only the flow, without a mixed derivative.",
    ),
    Question(
        id="19.4",
        title="A damped step, taken or rejected",
        kind="complete",
        points=3,
        draw=draw_fits,
        prepare=as_fit,
        call=after_step,
        inputs="mix scale offset sharp centre w damping",
        parts=[
            Part(
                "weights",
                "the weights",
                "Return a pair: the weights, of shape (p,), and the damping.",
            ),
            Part(
                "damping",
                "the damping",
                "Return a pair: the weights, of shape (p,), and the damping.",
            ),
        ],
        praise="The loss falls or stays the same, and the damping changes accordingly.",
    ),
)

PREDICTIONS = (
    Callout(
        "19.a",
        right="none: it rests at 0",
        options={
            "the swing of lesson 06": "The swing of lesson 06 obeys the equation, so its loss is "
            "0. But other motions obey the equation too, and nothing tells the network where to "
            "start.",
            "a swing with other starting values": "Every such swing has a loss of 0. But while the "
            "residual is not yet 0, halving the motion also halves the residual.",
            "none: it rests at 0": "Rest obeys the equation perfectly. And because halving a "
            "motion also halves its residual, training can always lower the loss by "
            "shrinking the motion.",
        },
    ),
    Callout(
        "19.b",
        right="1.0",
        options={
            "0.01": "0.01 gives the equation more influence. But then a small loss is possible "
            "without any motion.",
            "1.0": "With 0.01, the network stays close to rest and ignores the starting values. "
            "With 100, they are right, but 3,000 steps are too few to learn the equation. Nothing "
            "in the equation tells you which weight to use, so you have to experiment.",
            "100.0": "The starting values are exact, so they seem to deserve the largest weight. "
            "But they concern a single point in time, and the equation must hold at 100.",
        },
    ),
    Callout(
        "19.c",
        right="8.0",
        options={
            "2.0": "2 is u_xx, which is part of the result. But the target contains both u_t and "
            "u_x.",
            "6.0": "6 is the mixed derivative u_tx = 2x, which is part of the result. But u_xx is "
            "also included.",
            "8.0": "The target contains u_t and u_x, and a tape sums its targets: the derivative "
            "with respect to x is u_tx + u_xx = 6 + 2. There is no warning, and if the mixed "
            "derivative of u were 0, the result would even be right.",
        },
    ),
    Callout(
        "19.d",
        right="it stays as it started",
        options={
            "it cools as it should": "A small residual should mean that the equation holds. "
            "But it depends on which u_xx the tape sees.",
            "it stays as it started": "On a straight piece u_xx is 0, so the equation reduces to "
            "u_t = 0. A rod that never cools satisfies it, and has the right start and ends.",
            "it is at 0 everywhere": "A rod at 0 everywhere also has a residual of 0. But the "
            "start is in the loss too, with ten times the weight.",
        },
    ),
    Callout(
        "19.e",
        right="Levenberg-Marquardt's",
        options={
            "Adam's": "Adam takes twenty times as many steps. But each of them uses only one "
            "gradient.",
            "Levenberg-Marquardt's": "Each step solves for the bottom of a bowl in all 337 "
            "directions at once, while Adam is slow along the flat ones.",
            "about the same": "Both use the same loss, points and starting weights. But one of "
            "them gets further.",
        },
    ),
    Callout(
        "19.f",
        right="less than a hundredth",
        options={
            "about as long": "Both solve the same equation. But the solver has no weights to "
            "learn.",
            "a tenth": "A tenth would already be a large gain. But the solver is far faster: "
            "50 products with a small matrix.",
            "less than a hundredth": "The equation is linear, and the solver uses that: one small "
            "matrix takes the whole rod from one time to the next. The network's loss can only "
            "test whether the equation holds.",
        },
    ),
)
