"""Wrong answers to lesson 06, held out: no gallery holds them. By exercise and mistake."""

import tensorflow as tf


def nested(answer=lambda tape, t, s, v: (v, tape.gradient(v, t)), watched=True, scale=lambda s: s):
    def program(position, t):
        with tf.GradientTape(persistent=True) as outer:
            outer.watch(t)
            with tf.GradientTape() as inner:
                if watched:
                    inner.watch(t)
                s = scale(position(t))
            v = inner.gradient(s, t)
        return answer(outer, t, s, v)

    return program


def one_tape(position, t, **options):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(t)
        s = position(t)
    v = tape.gradient(s, t)
    return v, tape.gradient(v, t, **options)


def penalty(
    answer=lambda tape, w, x, y, slopes, total: tape.gradient(total, w),
    slopes_of=lambda tape, w, x, y: tape.gradient(y, x),
    square=tf.square,
    add=tf.reduce_sum,
    watched=True,
):
    def program(w, x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape(persistent=True) as inner:
                if watched:
                    inner.watch(x)
                y = tf.math.tanh(tf.tensordot(w, x, 1))
            slopes = slopes_of(inner, w, x, y)
            total = add(square(slopes))
        return answer(outer, w, x, y, slopes, total)

    return program


def penalty_by_one_tape(w, x, **options):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.tanh(tf.reduce_sum(w * x))
    return tape.gradient(tf.reduce_sum(tape.gradient(y, x) ** 2), w, **options)


def unit(v):
    return v / tf.sqrt(tf.reduce_sum(v * v))


def gradient_at(f, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x)


def product(tape, g, slope, x):
    return tape.gradient(slope, x)


def rows(tape, g, slope, x):
    return tf.stack([tape.gradient(g, x, row) for row in tf.eye(len(g), dtype=g.dtype)])


def bend(answer, direction=unit, watched=True, form=product):
    def program(f, x, v):
        u = direction(v)
        with tf.GradientTape(persistent=True) as tape:
            if watched:
                tape.watch(x)
            g = gradient_at(f, x)
            slope = tf.tensordot(g, u, 1)
        return answer(u, v, form(tape, g, slope, x), g)

    return program


def dot(u, v, Hu, g):
    return tf.tensordot(u, Hu, 1)


def both_sides(u, v, H, g):
    return tf.einsum("i,ij,j->", u, H, u)


def bend_of_line(f, x, v, **options):
    s = tf.Variable(0.0, dtype=tf.float64)
    with tf.GradientTape() as outer, tf.GradientTape() as inner:
        y = f(x + s * unit(v))
    return outer.gradient(inner.gradient(y, s), s, **options)


WRONG = {
    "06.1": {
        "returns none": lambda position, t: print(nested()(position, t)),
        "three items": nested(lambda tape, t, s, v: [s, v, tape.gradient(v, t)]),
        "inner unwatched": nested(lambda tape, t, s, v: (v, tape.gradient(s, t)), watched=False),
        "one tape asked twice": one_tape,
        "table of n by n": nested(lambda tape, t, s, v: (v, tape.jacobian(v, t))),
        "one time only": nested(lambda tape, t, s, v: (v[-1], tape.gradient(v, t)[-1])),
        "order exchanged": nested(lambda tape, t, s, v: tf.stack([tape.gradient(v, t), v])),
        "position and speed": nested(lambda tape, t, s, v: (s, tape.gradient(s, t))),
        "position for speed": nested(lambda tape, t, s, v: (s, tape.gradient(v, t))),
        "speed twice": nested(lambda tape, t, s, v: (v, tape.gradient(s, t))),
        "two means": nested(
            lambda tape, t, s, v: (v, tape.gradient(v, t) / len(t)), scale=tf.reduce_mean
        ),
        "mean position": nested(scale=lambda s: s / len(s)),
        "position also target": nested(
            lambda tape, t, s, v: (v, tape.gradient({"speed": v, "position": s}, t))
        ),
        "zero for none": lambda position, t: one_tape(position, t, unconnected_gradients="zero"),
        "none as target": nested(watched=False),
    },
    "06.2": {
        "one tape asked twice": penalty_by_one_tape,
        "zero for none": lambda w, x: penalty_by_one_tape(w, x, unconnected_gradients="zero"),
        "steepness held": penalty(slopes_of=lambda tape, w, x, y: w * (1 - y.numpy() ** 2)),
        "weights held": penalty(
            slopes_of=lambda tape, w, x, y: (
                tf.stop_gradient(w) / tf.cosh(tf.tensordot(w, x, 1)) ** 2
            )
        ),
        "wrong source": penalty(lambda tape, w, x, y, slopes, total: tape.gradient(total, x)),
        "square forgotten": penalty(square=tf.identity),
        "mean for sum": penalty(add=lambda each: tf.add_n(tf.unstack(each)) / len(each)),
        "output squared": penalty(slopes_of=lambda tape, w, x, y: y),
        "output as target": penalty(lambda tape, w, x, y, slopes, total: tape.gradient(y, w)),
        "slopes returned": penalty(lambda tape, w, x, y, slopes, total: slopes.numpy()),
        "penalty returned": penalty(lambda tape, w, x, y, slopes, total: float(total)),
        "input unwatched": penalty(watched=False),
    },
    "06.4": {
        "returns none": bend_of_line,
        "zero for none": lambda f, x, v: bend_of_line(f, x, v, unconnected_gradients="zero"),
        "length kept": bend(dot, direction=tf.identity),
        "scaled once": bend(lambda u, v, Hu, g: tf.tensordot(v, Hu, 1)),
        "sum of sizes": bend(dot, direction=lambda v: v / tf.norm(v, ord=1)),
        "root forgotten": bend(dot, direction=lambda v: v / tf.tensordot(v, v, 1)),
        "slope for curvature": bend(lambda u, v, Hu, g: tf.tensordot(g, u, 1)),
        "unscaled slope": bend(lambda u, v, Hu, g: tf.tensordot(g, v, 1)),
        "vector returned": bend(lambda u, v, Hu, g: Hu),
        "unscaled vector returned": bend(lambda u, v, Hu, g: Hu, direction=tf.identity),
        "products not added": bend(lambda u, v, Hu, g: tf.multiply(Hu, u)),
        "entries added up": bend(lambda u, v, Hu, g: tf.tensordot(Hu, tf.ones_like(u), 1)),
        "mean for sum": bend(lambda u, v, Hu, g: tf.reduce_sum(u * Hu) / len(u)),
        "length of product": bend(lambda u, v, Hu, g: tf.sqrt(tf.tensordot(Hu, Hu, 1))),
        "whole hessian": bend(lambda u, v, H, g: H, form=rows),
        "trace of hessian": bend(lambda u, v, H, g: sum(tf.linalg.diag_part(H)), form=rows),
        "gradient returned": bend(lambda u, v, Hu, g: g.numpy()),
        "loss returned": lambda f, x, v: float(f(x)),
        "jacobian formed": bend(both_sides, form=lambda tape, g, slope, x: tape.jacobian(g, x)),
        "rows formed": bend(both_sides, form=rows),
        "sign turned": bend(lambda u, v, Hu, g: -tf.tensordot(u, Hu, 1)),
        "outer unwatched": bend(dot, watched=False),
    },
}
