"""Predictions of lesson 17 with other numbers, for when they come back."""

from course_utils.exercises import Variant

VARIANTS = (
    Variant(
        id="17.a",
        section="What does pretraining learn?",
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
            "2.0": "Three of four need 2, so it seems best to be right for them. But the "
            "square of an error of 8 outweighs that.",
            "6.0": "6 is halfway between 2 and 10. But each cook has the same weight, and "
            "three of them need 2.",
            "4.0": "With a squared error, the best single answer is the mean, 16 / 4. It is "
            "not the answer of any of the cooks.",
        },
    ),
    Variant(
        id="17.a",
        section="What does pretraining learn?",
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
            "3.0": "The slope starts at one of the two, where that task is solved. But the "
            "other task pulls it away.",
            "0.0": "3 and -1 have opposite signs. But they do not cancel: their mean is 1.",
            "-1.0": "-1 is the slope of the second task. But the loss treats both tasks equally.",
            "1.0": "x does not say which task it is. With a squared error, the best line is "
            "the mean of both, which solves neither.",
        },
    ),
    Variant(
        id="17.b",
        section="Can a tape go through a training step?",
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
            "4.0": "After the assignment w is read again, and the slope there is 2 (3 - 1). "
            "The part before the assignment is lost silently.",
            "2.0": "2.0 is the slope through the step, with its factor 1 - 0.25 · 2 = 0.5. But "
            "`assign_sub` stores only a number, so the factor is lost.",
            "None": "An assignment does break the path. But w is read again after it.",
            "-4.0": (
                "-4 is the slope of the support loss at the start, 2 (2 - 4). But the question "
                "asks for the slope of the query loss."
            ),
        },
    ),
    Variant(
        id="17.b",
        section="Can a tape go through a training step?",
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
            "-10.0": "-10 is the slope at the new weight, 2 (2 - 7), and with `assign_sub` it "
            "would be right. But here the step is a subtraction, which the outer tape "
            "records.",
            "-12.0": "-12 is 2 (1 - 7), the slope of the query loss at the old weight. But the "
            "loss was computed with `fast`.",
            "-8.0": "`fast` is a tensor computed from w, so there is a path through the step: "
            "2 (2 - 7) times the slope of the step, 1 - 0.1 · 2.",
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
            "None": "The layer's own bias was not used, so `None` is tempting. But `fast` was "
            "computed from it, and the tape recorded it.",
            "[12.]": "A tape watches tensors, not layers. The path leads through `fast`, with "
            "a factor of 2, to six outputs.",
            "[6.]": (
                "6 is the slope with respect to the bias in `fast`, which enters six outputs. But "
                "that bias changes twice as much as the layer's bias does."
            ),
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
            "[12.]": "12 would be right with `model.trainable_variables` in place of "
            "`get_weights`: six outputs, times 2. But `get_weights` breaks the path.",
            "[0.]": "0 would mean that there is a path with slope 0. But `get_weights` leaves "
            "no path.",
            "None": "`get_weights` returns NumPy arrays, which a tape does not record. So no "
            "path leads from the variables to `fast`.",
        },
    ),
)
