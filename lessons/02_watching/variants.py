"""The predictions of lesson 02 with other numbers, for when they come back."""

from course_utils.exercises import Variant

VARIANTS = (
    Variant(
        id="02.a",
        section="What does a tape follow by itself?",
        program="""
price = tf.constant(0.5)

with tf.GradientTape() as tape:
    cost = 8.0 * price**2

print(tape.gradient(cost, price))
""",
        right="None",
        options={
            "8.0": "This is the slope, 16 times 0.5, and a tape would give it if it had followed "
            "price. Nothing told it to.",
            "None": "price is a constant. By itself a tape follows only trainable variables, and "
            "nothing here watches price.",
            "0.0": "0 would mean that cost does not change with price. It does: the tape just did "
            "not look.",
        },
    ),
    Variant(
        id="02.a",
        section="What does a tape follow by itself?",
        program="""
height = tf.constant([1.0, 4.0])
gravity = tf.Variable(2.0)

with tf.GradientTape() as tape:
    energy = tf.reduce_sum(gravity * height)

by_height, by_gravity = tape.gradient(energy, [height, gravity])
print(by_height is None, by_gravity is None)
""",
        right="True False",
        options={
            "True False": "gravity is a trainable variable, which a tape watches by itself. height "
            "is a constant, and needs tape.watch(height).",
            "False False": "Both stand in the formula, but a tape follows what is watched: of "
            "height nobody asked it to.",
            "True True": "The one gradient is lost, not both: each source is looked up for itself, "
            "and gravity was watched.",
            "False True": "It is the other way round: a tape watches trainable variables by "
            "itself, and constants only when told.",
        },
    ),
)
