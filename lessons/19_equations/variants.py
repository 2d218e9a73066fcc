"""Predictions of lesson 19 with other numbers, for when they come back."""

from course_utils.exercises import Variant

VARIANTS = (
    Variant(
        id="19.a",
        section="How does an equation become a loss?",
        program="""
t = tf.linspace(0.0, 3.0, 50)
size = tf.Variable(1.0)

for _ in range(40):
    with tf.GradientTape() as tape:
        position = size * tf.cos(t)
        acceleration = -size * tf.cos(t)
        residual = acceleration + 4 * position  # the law of a spring
        loss = tf.reduce_mean(residual**2)
    size.assign_sub(0.1 * tape.gradient(loss, size))

print(f"{size.numpy():.2f}")
""",
        question="The loss falls close to 0. How large is the swing?",
        right="0.00",
        options={
            "0.00": "If you halve any motion, you halve its residual. Rest obeys the equation "
            "perfectly, and the loss does not include a start.",
            "1.00": "The swing has the wrong frequency for this spring, so it cannot stay. And "
            "nothing tells it to start at 1.",
            "0.25": "A quarter would seem to balance the 4. But a wrong swing of a quarter of "
            "the size has only a quarter of the residual.",
        },
    ),
    Variant(
        id="19.a",
        section="How does an equation become a loss?",
        program="""
t = tf.linspace(0.0, 2.0, 50)
size = tf.Variable(3.0)

for _ in range(40):
    with tf.GradientTape() as tape:
        amount = size * tf.exp(-2 * t)
        change = -2 * size * tf.exp(-2 * t)
        residual = change + 2 * amount  # a medicine leaves the blood
        loss = tf.reduce_mean(residual**2)
    size.assign_sub(0.1 * tape.gradient(loss, size))

print(f"{size.numpy():.2f}")
""",
        question="The curve obeys the equation for every `size`. Where does the training lead?",
        right="3.00",
        options={
            "0.00": "No medicine at all also obeys the equation. But the loss is 0 from the "
            "beginning, so nothing changes `size`.",
            "3.00": "The residual is 0 for every size, and so is the gradient of the loss. The "
            "equation has many solutions, and does not choose among them.",
            "1.00": "Many such curves are drawn from 1. But nothing in the loss says where "
            "this one starts.",
        },
    ),
    Variant(
        id="19.c",
        section="How do I differentiate with respect to one of two variables?",
        program="""
points = tf.constant([[1.0, 2.0]])  # t, x

with tf.GradientTape() as outer:
    outer.watch(points)
    with tf.GradientTape() as inner:
        inner.watch(points)
        u = points[:, 0] ** 2 * points[:, 1] ** 3
    both = inner.gradient(u, points)  # u_t and u_x

second = outer.gradient(both, points)
print(second.numpy()[0, 1])
""",
        question="u = t² x³, so u_xx = 6 t² x = 12. What does it print?",
        right="36.0",
        options={
            "36.0": "A tape sums its targets, u_t and u_x. Their derivative with respect to x "
            "is u_tx + u_xx = 24 + 12, and there is no warning.",
            "12.0": "12 is u_xx, and it is a part of the result. But the target is the pair of "
            "u_t and u_x.",
            "24.0": "24 is the mixed derivative u_tx = 6 t x², and it is a part of the result. "
            "But u_xx is also included.",
        },
    ),
    Variant(
        id="19.c",
        section="How do I differentiate with respect to one of two variables?",
        program="""
points = tf.constant([[2.0, 1.0]])  # t, x

with tf.GradientTape() as outer:
    outer.watch(points)
    with tf.GradientTape() as inner:
        inner.watch(points)
        u = points[:, 0] * points[:, 1] ** 3
    u_x = inner.gradient(u, points)[:, 1]

second = outer.gradient(u_x, points)
print(second.numpy()[0, 1])
""",
        question="u = t x³. What does it print?",
        right="12.0",
        options={
            "15.0": "15 is u_tx + u_xx = 3 + 12, the result for the pair of u_t and u_x as the "
            "target. But here the target is only u_x.",
            "3.0": "3 is the mixed derivative u_tx = 3 x². But that is in the column of t.",
            "6.0": "6 is u_x = 3 t x², the first derivative. But this is the second one.",
            "12.0": "The only target is u_x, and its derivative with respect to x is u_xx = 6 t x.",
        },
    ),
    Variant(
        id="19.d",
        section="Which networks have a second derivative?",
        program="""
x = tf.constant(1.0)

with tf.GradientTape() as outer:
    outer.watch(x)
    with tf.GradientTape() as inner:
        inner.watch(x)
        u = 4.0 * tf.nn.relu(3.0 * x - 1.0) - 5.0 * tf.nn.relu(2.0 * x)
    u_x = inner.gradient(u, x)

u_xx = outer.gradient(u_x, x)
print(u_xx if u_xx is None else u_xx.numpy())
""",
        right="0.0",
        options={
            "2.0": "2 is u_x, 12 - 10. But it is the same for all x near 1, so its derivative "
            "is another number.",
            "None": "A piecewise straight function may seem to have no path to its second "
            "derivative. But there is one: `relu` has a slope, and the derivative of that "
            "slope is 0 on every piece.",
            "0.0": "With `relu`, u is straight from corner to corner, and a straight piece has "
            "no curvature. An equation with u_xx would lose that term.",
        },
    ),
    Variant(
        id="19.d",
        section="Which networks have a second derivative?",
        program="""
x = tf.constant(1.0)

with tf.GradientTape() as outer:
    outer.watch(x)
    with tf.GradientTape() as inner:
        inner.watch(x)
        u = tf.nn.relu(3.0 * x - 1.0) ** 2
    u_x = inner.gradient(u, x)

u_xx = outer.gradient(u_x, x)
print(u_xx.numpy())
""",
        question="u is (3x - 1)² near x = 1. What does it print?",
        right="18.0",
        options={
            "0.0": "0 is right for `relu` itself, which is straight on each piece. But its "
            "square is curved.",
            "12.0": "12 is u_x at 1: 2 · 2 · 3. But the question asks for u_xx.",
            "2.0": "2 is the second derivative of a plain square. But the inner factor 3 "
            "enters twice.",
            "18.0": "u_x is 6 (3x - 1), and its derivative is 18. A square of `relu` has a "
            "second derivative, except at the corner.",
        },
    ),
)
