"""The predictions and values of lesson 06 with other numbers, for when they come back."""

from course_utils.exercises import Variant

VARIANTS = (
    Variant(
        id="06.a",
        section="How do I differentiate a derivative?",
        program="""
time = tf.Variable(2.0)

with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        height = 5.0 * time**3
    speed = inner.gradient(height, time)

print(f"{outer.gradient(speed, time)}")
""",
        right="60.0",
        options={
            "None": "So it would be if `speed` were computed outside both blocks. It stands inside "
            "the outer one, which records it.",
            "60.0": "The outer tape records how the inner one finds 15 · time², and the slope of that is "
            "30 · 2. The question may stand below the inner block, and must stand in the outer one.",
            "an error": "The inner tape has stopped when it is asked. That is how a tape is asked as "
            "a rule, and no fault.",
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
            "None": "`force` was computed below the block, where nothing is recorded. That the tape "
            "is persistent lets you ask again, and records nothing more.",
            "12.0": "It is the truth, 6 · 2, and the tape is persistent: it may be asked twice. But "
            "it did not record how `force` was computed.",
            "an error": "A plain tape would raise one at the second question. This one is persistent.",
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
            "60.0": "The heights are summed, and 10 + 20 + 30 is 60. But what is summed is the target, "
            "and each time keeps its own slope.",
            "a table of 3 by 3": "Each height against each time is what `jacobian` gives, with zeros "
            "off the diagonal.",
            "[10. 20. 30.]": "The gradient has the shape of its source. Only one height depends on each "
            "time, so entry i is the speed at time i.",
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
            "(4, 2)": "It is the shape of the target. A gradient has that of its source.",
            "(4, 2, 4, 3)": "It is the shape of the `jacobian`: each output against each input.",
            "(4, 2, 3)": "It is the shape of the `batch_jacobian`: the outputs of an example against "
            "its own inputs.",
            "(4, 3)": "The eight outputs are summed, and the gradient says how the sum moves with each "
            "entry of x. It has the shape of x.",
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
            "3.0": "It is the truth, 4 · (1 - 1/4), as `jacobian` gives it. `batch_jacobian` takes a "
            "sum over the batch in its place.",
            "4.0": "So it would be if the mean stood still. But it moves with every example.",
            "0.0": "`batch_jacobian` sums over the batch, which is safe only where examples do not "
            "touch each other. Here the mean ties them together, and what one gains the others lose.",
            "an error": "It would be kind. But `batch_jacobian` does not look at what is computed.",
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
            "2.0": "Each example has a mean of its own, so no example touches another, and "
            "`batch_jacobian` is right: 4 · (1 - 1/2).",
            "0.0": "So it would be if the mean were that of the batch. This one is taken over "
            "`axis=1`, within each example.",
            "4.0": "The mean is taken off, and it moves as well: by half as much as the entry.",
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
            "(6, 5, 2, 5)": "The shape of the outputs, followed by that of the source.",
            "(2, 5, 6, 5)": "Each entry belongs to an output first, and then to an entry of the source.",
            "(2, 5)": "That is the shape of a `gradient`, which sums over all 30 outputs.",
            "(6, 5)": "That is the shape of the outputs alone.",
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
            "(3, 3)": "The output is one number, and so adds no axis.",
            "()": "That is the shape of the output. The source's follows it.",
            "(3,)": "The output has shape (), which adds nothing to the source's (3,): the jacobian is the gradient.",
        },
    ),
)
