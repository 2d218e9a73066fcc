"""The predictions and values of lesson 06 with other numbers, for when they come back."""

from course_utils.exercises import Variant

VARIANTS = (
    Variant(
        id="06.a",
        section="How do I differentiate a derivative?",
        program="""
time = tf.Variable(3.0)

with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        height = 5.0 * time**3
    velocity = inner.gradient(height, time)

print(f"{outer.gradient(velocity, time)}")
""",
        right="90.0",
        options={
            "135.0": "135 is the velocity, 15 · 3². But the last line asks for its slope.",
            "None": "You would get `None` if `velocity` were computed outside both blocks. But it "
            "is computed inside the outer one, which records it.",
            "90.0": "The outer tape records how the inner one computes 15 · time², and the "
            "slope of that is 30 · 3. You can call `inner.gradient` after the inner block, "
            "but it must be inside the outer one.",
            "an error": "The inner tape has stopped recording when `gradient` is called. But "
            "that is the usual way to call it.",
        },
    ),
    Variant(
        id="06.a",
        section="How do I differentiate a derivative?",
        program="""
x = tf.Variable(2.0)

with tf.GradientTape(persistent=True) as tape:
    energy = x**3

force = tape.gradient(energy, x)
print(f"{tape.gradient(force, x)}")
""",
        right="None",
        options={
            "None": "`force` was computed after the block, where nothing is recorded. A "
            "persistent tape can be used again, but it records nothing more.",
            "12.0": "12 is the correct second derivative, 6 · 2, and a persistent tape can be "
            "used twice. But it did not record how `force` was computed.",
            "an error": "A plain tape would raise an error at the second call. But this one is "
            "persistent.",
        },
    ),
    Variant(
        id="06.b",
        section="Many points at once",
        program="""
times = tf.constant([1.0, 2.0, 3.0])

with tf.GradientTape() as tape:
    tape.watch(times)
    heights = 5.0 * times**2

print(f"{tape.gradient(heights, times)}")
""",
        right="[10. 20. 30.]",
        options={
            "60.0": "60 is the sum of 10, 20 and 30, and the target is indeed summed. But the "
            "gradient has the shape of the source, so each time keeps its own slope.",
            "a 3-by-3 table": "Each height against each time is what `jacobian` returns, "
            "with zeros off the diagonal. But a gradient has the shape of its source.",
            "[10. 20. 30.]": "The gradient has the shape of its source. Only one height "
            "depends on each time, so entry i is the velocity at time i.",
        },
    ),
    Variant(
        id="06.b",
        section="Many points at once",
        program="""
x = tf.Variable(tf.ones((4, 3)))  # four examples
W = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])

with tf.GradientTape() as tape:
    y = x @ W  # (4, 2)

print(tape.gradient(y, x).shape)
""",
        right="(4, 3)",
        options={
            "(4, 2)": "(4, 2) is the shape of the target. But a gradient has the shape of its "
            "source.",
            "(4, 2, 4, 3)": "This is the shape of the `jacobian`: each output against each "
            "input. But `gradient` sums over the outputs.",
            "(4, 2, 3)": "This is the shape of the `batch_jacobian`: each example's outputs "
            "against its own inputs. But `gradient` sums over the outputs.",
            "(4, 3)": "The eight outputs are summed, and the gradient says how the sum changes "
            "with each entry of `x`. So it has the shape of `x`.",
        },
    ),
    Variant(
        id="06.c",
        section="When may I use batch_jacobian?",
        program="""
x = tf.constant([[1.0], [2.0], [5.0], [8.0]])  # four examples

with tf.GradientTape() as tape:
    tape.watch(x)
    y = 4.0 * (x - tf.reduce_mean(x, axis=0))

table = tape.batch_jacobian(y, x)  # (4, 1, 1)
print(f"{table[0, 0, 0]}")
""",
        right="0.0",
        options={
            "3.0": "3 is the correct derivative, 4 · (1 - 1/4), as `jacobian` returns it. But "
            "`batch_jacobian` uses a sum over the batch instead.",
            "4.0": "4 would be right if the mean were constant. But it changes with every example.",
            "0.0": "`batch_jacobian` sums over the batch, which works only if the examples do "
            "not affect each other. Here the mean links them, and what one example gains "
            "the others lose.",
            "an error": "An error would help. But `batch_jacobian` does not check what is "
            "computed.",
        },
    ),
    Variant(
        id="06.c",
        section="When may I use batch_jacobian?",
        program="""
x = tf.constant([[1.0, 3.0], [2.0, 6.0], [5.0, 5.0]])  # three examples

with tf.GradientTape() as tape:
    tape.watch(x)
    y = 4.0 * (x - tf.reduce_mean(x, axis=1, keepdims=True))

table = tape.batch_jacobian(y, x)  # (3, 2, 2)
print(f"{table[0, 0, 0]}")
""",
        right="2.0",
        options={
            "2.0": "Each example has a separate mean, so the examples do not affect each "
            "other, and `batch_jacobian` is right: 4 · (1 - 1/2).",
            "0.0": "0 would be right if the mean were taken over the batch. But it is taken "
            "over `axis=1`, within each example.",
            "4.0": "4 would be right if the mean were constant. But it changes by half as much "
            "as the entry.",
        },
    ),
    Variant(
        id="06.3",
        section="What if there are many outputs?",
        program="""
inputs = tf.ones((6, 2))
weights = tf.Variable(tf.ones((2, 5)))

with tf.GradientTape() as tape:
    outputs = tf.sin(inputs @ weights)

print(tape.jacobian(outputs, weights).shape)
""",
        right="(6, 5, 2, 5)",
        options={
            "(6, 5, 2, 5)": "It is the shape of the outputs, followed by that of the source.",
            "(2, 5, 6, 5)": "These are the right numbers. But the axes of the outputs come "
            "first, then those of the source.",
            "(2, 5)": "(2, 5) is the shape of a `gradient`, which sums over all 30 outputs. "
            "But a Jacobian keeps them separate.",
            "(6, 5)": "(6, 5) is the shape of the outputs. But a Jacobian also has the axes of "
            "the source.",
        },
    ),
    Variant(
        id="06.3",
        section="What if there are many outputs?",
        program="""
start = tf.Variable([1.0, 2.0, 3.0])

with tf.GradientTape() as tape:
    distance = tf.reduce_sum(start**2)

print(tape.jacobian(distance, start).shape)
""",
        right="(3,)",
        options={
            "(3, 3)": "A Jacobian of a vector would have shape (3, 3). But here the output is "
            "one number, which adds no axis.",
            "()": "() is the shape of the output. But the shape of the source follows it.",
            "(3,)": "The output has shape (), which adds nothing to the source's (3,). So the "
            "Jacobian is the gradient.",
        },
    ),
)
