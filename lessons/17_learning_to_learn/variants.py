"""Predictions of lesson 17 with other numbers, for when they come back."""

from course_utils.exercises import Variant

VARIANTS = (
    Variant(
        id="17.a",
        section="What does one network learn of many tasks?",
        program="""
minutes = tf.constant([2.0, 2.0, 2.0, 10.0])  # four cooks, one recipe
guess = tf.Variable(0.0)

for _ in range(60):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((guess - minutes) ** 2)
    guess.assign_sub(0.2 * tape.gradient(loss, guess))

print(f"{guess.numpy():.1f}")
""",
        right="4.0",
        options={
            "2.0": "Three of four need 2, and it seems best to be right for them. But the square of "
            "being 8 off weighs more.",
            "6.0": "That is the middle between 2 and 10. Each cook counts, and three of them need 2.",
            "4.0": "The best single answer under a squared error is the mean, 16 / 4. It belongs to "
            "none of the cooks.",
        },
    ),
    Variant(
        id="17.a",
        section="What does one network learn of many tasks?",
        program="""
x = tf.constant([-1.0, -0.5, 0.5, 1.0])
tasks = [3 * x, -x]  # the same x, two tasks
slope = tf.Variable(3.0)

for _ in range(60):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean([(slope * x - y) ** 2 for y in tasks])
    slope.assign_sub(0.3 * tape.gradient(loss, slope))

print(f"{slope.numpy():.1f}")
""",
        right="1.0",
        options={
            "3.0": "It begins at one of the two, and there that task is solved. But the other one "
            "pulls.",
            "0.0": "3 and -1 have different signs, but they do not cancel: their mean is 1.",
            "-1.0": "That is the second task. The loss has no reason to like one of them better.",
            "1.0": "x says nothing about which task it is. Under a squared error the best line is the "
            "mean of both, which solves neither.",
        },
    ),
    Variant(
        id="17.b",
        section="Can a tape go through a step of training?",
        program="""
w = tf.Variable(2.0)

with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        support_loss = (w - 4) ** 2
    w.assign_sub(0.25 * inner.gradient(support_loss, w))  # to 3
    query_loss = (w - 1) ** 2

print(outer.gradient(query_loss, w).numpy())
""",
        right="4.0",
        options={
            "4.0": "After the assignment w is read again, and the slope there is 2 (3 - 1). What came "
            "before it is lost, and nobody is told.",
            "2.0": "That is the slope through the step, with its factor 1 - 0.25 · 2 = 0.5. But "
            "`assign_sub` stores a number, and the factor is lost.",
            "None": "An assignment carries no gradient, that is true. But w is read once more, after "
            "it.",
            "-4.0": "That is the slope of the support loss at the start, 2 (2 - 4). The query loss "
            "was asked for.",
        },
    ),
    Variant(
        id="17.b",
        section="Can a tape go through a step of training?",
        program="""
w = tf.Variable(1.0)

with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        support_loss = (w - 6) ** 2
    fast = w - 0.1 * inner.gradient(support_loss, w)  # 2
    query_loss = (fast - 7) ** 2

print(outer.gradient(query_loss, w).numpy())
""",
        right="-8.0",
        options={
            "-10.0": "That is the slope at the new weight, 2 (2 - 7). An `assign_sub` would give it. "
            "Here the step is a subtraction, which the outer tape follows.",
            "-12.0": "That is 2 (1 - 7), the slope of the query loss at the old weight. But the loss was "
            "computed with `fast`.",
            "-8.0": "`fast` is a tensor computed from w, so the path leads through the step: "
            "2 (2 - 7) times its factor, 1 - 0.1 · 2.",
        },
    ),
    Variant(
        id="17.c",
        section="How do I call a Keras model with other weights?",
        program="""
import keras

model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)])
x = tf.ones((6, 1))

with tf.GradientTape() as tape:
    fast = [2.0 * v for v in model.trainable_variables]
    y, _ = model.stateless_call(fast, [], x)

of_kernel, of_bias = tape.gradient(y, model.trainable_variables)
print(of_bias if of_bias is None else of_bias.numpy())
""",
        right="[12.]",
        options={
            "None": "The layer's own bias was not used, so this tempts. But `fast` was computed from "
            "it, under the tape.",
            "[12.]": "A tape follows tensors, not layers. The path leads from six outputs through "
            "`fast`, where there is a factor of 2.",
            "[6.]": "That is the slope by the bias in `fast`, which enters six outputs. The layer's "
            "bias moves that one twice as far.",
        },
    ),
    Variant(
        id="17.c",
        section="How do I call a Keras model with other weights?",
        program="""
import keras

model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)])
x = tf.ones((6, 1))

with tf.GradientTape() as tape:
    fast = [2.0 * w for w in model.get_weights()]
    y, _ = model.stateless_call(fast, [], x)

of_kernel, of_bias = tape.gradient(y, model.trainable_variables)
print(of_bias if of_bias is None else of_bias.numpy())
""",
        right="None",
        options={
            "[12.]": "So it would be with `model.trainable_variables` in place of `get_weights`: six "
            "outputs, times 2.",
            "[0.]": "0 would mean a path along which nothing changes. `get_weights` leaves no path.",
            "None": "`get_weights` gives NumPy arrays, and a tape does not follow those. `fast` knows "
            "nothing of the variables.",
        },
    ),
)
