"""The predictions and values of lesson 09 with other numbers, for when they come back."""

from course_utils.exercises import Variant

VARIANTS = (
    Variant(
        id="09.a",
        section="What does Keras take over?",
        program="""
layer = tf.keras.layers.Dense(3)
before = len(layer.trainable_variables)

layer(tf.ones((2, 4)))
print(before, "and", len(layer.trainable_variables))
""",
        right="0 and 2",
        options={
            "2 and 2": "A `Dense` layer has a kernel and a bias. But the kernel has a row for each "
            "input, and before the call nobody knows how many.",
            "1 and 2": "The bias could be there at once, with its 3 entries. But a layer makes its "
            "variables together.",
            "0 and 0": "A call computes an output. But the first one makes the variables, too.",
            "0 and 2": "The call shows the layer an input with 4 entries, and only then it makes the "
            "kernel, (4, 3), and the bias.",
        },
    ),
    Variant(
        id="09.a",
        section="What does Keras take over?",
        program="""
model = tf.keras.Sequential(
    [
        tf.keras.Input((5,)),
        tf.keras.layers.Dense(4),
        tf.keras.layers.Dense(1, use_bias=False),
    ]
)

print(len(model.trainable_variables))
""",
        right="3",
        options={
            "0": "Nobody called the model. But it begins with `keras.Input`, and that is the shape it "
            "needs.",
            "3": "`keras.Input` gives the shape, so all variables are made: a kernel and a bias, and a "
            "kernel alone.",
            "4": "Two variables for each layer. But the last one has no bias.",
            "2": "These are the layers, or their kernels. The first has a bias, too.",
        },
    ),
    Variant(
        id="09.c",
        section="What belongs to a step?",
        program="""
normalise = tf.keras.layers.BatchNormalization()
heights = tf.constant([[160.0], [180.0]])  # cm

with tf.GradientTape() as tape:
    scaled = normalise(heights)

print(f"{tf.round(scaled[:, 0])}")
""",
        right="[160. 180.]",
        options={
            "[-1. 1.]": "These have mean 0 and variance 1, and `training=True` gives them. But a tape "
            "does not tell the layer that it is training.",
            "[0. 0.]": "So it would be for a batch of one, in training: each value is its own mean. "
            "Here are two.",
            "[160. 180.]": "Called without `training`, the layer works as in use, by its running "
            "averages. It has seen no batch, so they are still 0 and 1, and change almost nothing here.",
        },
    ),
    Variant(
        id="09.c",
        section="What belongs to a step?",
        program="""
model = tf.keras.Sequential([tf.keras.layers.Dropout(0.3)])
x = tf.ones((1, 100))

with tf.GradientTape() as tape:
    first, second = model(x), model(x)
third = model(x, training=True)

print(np.array_equal(first, second), np.array_equal(first, third))
""",
        question="Is the second output equal to the first, and the third?",
        right="True False",
        options={
            "False False": "Dropout draws anew at each call. But the first two calls do not drop: they "
            "stand in a tape's block, and nobody said `training=True`.",
            "False True": "That a tape turns dropout on, and off again, is what one might expect. A "
            "model knows nothing of tapes.",
            "True True": "The first two let everything pass. The third drops, with `training=True`, "
            "also without a tape.",
            "True False": "Only the argument `training` decides. The first two calls let all ones "
            "pass, and the third drops some of them.",
        },
    ),
    Variant(
        id="09.d",
        section="How do I measure fairly?",
        program="""
errors = tf.data.Dataset.from_tensor_slices([1.0, 1.0, 1.0, 1.0, 6.0])
means = [tf.reduce_mean(batch) for batch in errors.batch(4)]

print(np.mean(means))
""",
        right="3.5",
        options={
            "2.0": "It is the mean of all five. But the program takes the mean of each batch first, "
            "and then the mean of these two.",
            "1.0": "It is the mean of the first batch. The short one is there as well.",
            "3.5": "The batches hold 4 and 1, with the means 1 and 6. The last number counts as much "
            "as the other four together.",
            "6.0": "It is the mean of the last batch.",
        },
    ),
    Variant(
        id="09.d",
        section="How do I measure fairly?",
        program="""
minutes = tf.data.Dataset.from_tensor_slices([10.0, 20.0, 30.0, 60.0, 70.0])
metric = tf.keras.metrics.Mean()

for batch in minutes.batch(3):
    metric.update_state(tf.reduce_mean(batch), sample_weight=len(batch))

print(f"{metric.result():.1f}")
""",
        right="38.0",
        options={
            "38.0": "3 · 20 and 2 · 65 make 190, for 5 numbers. Weighed by its size, the short batch "
            "counts no more than it should.",
            "42.5": "It is the mean of the two means, 20 and 65. But each is weighed by the size of "
            "its batch.",
            "95.0": "It is the sum of 3 · 20 and 2 · 65, divided by the two batches. A metric divides "
            "by the sum of the weights, 5.",
        },
    ),
    Variant(
        id="09.e",
        section="What if the batch does not fit in memory?",
        program="""
x, w = tf.constant([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]), tf.Variable(2.0)

def gradient(part):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((w * part) ** 2)
    return tape.gradient(loss, w)

added = sum(gradient(part) for part in tf.split(x, 4))

print(f"{added / gradient(x)}")
""",
        right="4",
        options={
            "1": "Gradients add, and so do sums. But each part's loss is a mean over 2, not over 8.",
            "4": "Four means over 2 make four times the mean over 8. Divide by the number of parts.",
            "0.25": "Each part has a quarter of the numbers. But its mean is about as large as that of all, and four of them are added.",
            "2": "There are two numbers in each part. But what counts is how many means are added.",
        },
        otherwise="The loss of each quarter is a mean. What is the sum of four means, next to the "
        "mean of all?",
    ),
    Variant(
        id="09.e",
        section="What if the batch does not fit in memory?",
        program="""
x, w = tf.constant([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), tf.Variable(2.0)

def gradient(part):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum((w * part) ** 2) / 6
    return tape.gradient(loss, w)

added = sum(gradient(part) for part in tf.split(x, 3))

print(f"{added / gradient(x):.2f}")
""",
        right="1",
        options={
            "3": "So it would be with the mean of each part. Here each sum is divided by 6, the size "
            "of the whole batch.",
            "1": "Sums add up, and each is divided by the size of the whole, not of its part. Then the "
            "parts make the gradient of the whole.",
            "0.33": "Each part holds a third of the batch. But all three are added.",
        },
        otherwise="Each part's loss is a sum, divided by 6. What do the sums of the parts add up to?",
    ),
    Variant(
        id="09.2",
        section="Which mistakes raise no error?",
        program="""
predicted = tf.constant([[2.0], [4.0], [6.0]])
wanted = tf.constant([2.0, 4.0, 6.0])

print((predicted - wanted).shape)
""",
        right="(3, 3)",
        options={
            "(3, 1)": "Shapes are lined up from the right: (3,) becomes (1, 3), and meets (3, 1).",
            "(3,)": "The first has two axes, and so has the difference.",
            "(3, 3)": "Each prediction meets each target: nine differences, of which three are meant.",
        },
    ),
    Variant(
        id="09.2",
        section="Which mistakes raise no error?",
        program="""
predicted = tf.constant([[0.0], [2.0]])
wanted = tf.constant([0.0, 2.0])

print(float(tf.reduce_mean(tf.abs(predicted - wanted))))
""",
        right="1.0",
        options={
            "0.0": "Both predictions are right, but each one meets both targets.",
            "1.0": "Of the four differences two are 0, and two are 2 in size.",
            "2.0": "Two of the four differences are 2 in size, the other two are 0.",
        },
    ),
)
