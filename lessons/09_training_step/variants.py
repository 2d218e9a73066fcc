"""The predictions and values of lesson 09 with other numbers, for when they come back."""

from course_utils.exercises import Variant

VARIANTS = (
    Variant(
        id="09.a",
        section="What does Keras do for you?",
        program="""
layer = tf.keras.layers.Dense(3)
before = len(layer.trainable_variables)

layer(tf.ones((2, 4)))
print(before, "and", len(layer.trainable_variables))
""",
        right="0 and 2",
        options={
            "2 and 2": "A `Dense` layer has a kernel and a bias. But the kernel has one row "
            "per input, and before the call their number is unknown.",
            "1 and 2": "The bias with its 3 entries could exist at once. But a layer creates "
            "all its variables together.",
            "0 and 0": "A call computes an output. But the first call also creates the variables.",
            "0 and 2": "In the call the layer sees an input with 4 entries. Only then does it "
            "create the kernel, (4, 3), and the bias.",
        },
    ),
    Variant(
        id="09.a",
        section="What does Keras do for you?",
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
            "0": "The model was never called. But it starts with `keras.Input`, which gives it "
            "the shape it needs.",
            "3": "`keras.Input` gives the shape, so all variables exist: a kernel and a bias, "
            "and one more kernel.",
            "4": "Two layers with two variables each would give 4. But the last layer has no bias.",
            "2": "2 is the number of layers, or of kernels. But the first layer also has a bias.",
        },
    ),
    Variant(
        id="09.c",
        section="What does each part do?",
        program="""
normalise = tf.keras.layers.BatchNormalization()
heights = tf.constant([[160.0], [180.0]])  # cm

with tf.GradientTape() as tape:
    scaled = normalise(heights)

print(f"{tf.round(scaled[:, 0])}")
""",
        right="[160. 180.]",
        options={
            "[-1. 1.]": "These values have mean 0 and variance 1, as with `training=True`. But "
            "a tape does not switch the layer to training mode.",
            "[0. 0.]": "0 would be right for a batch of one in training mode, in which each "
            "value is the mean. But this batch has two values, and the layer is not in "
            "training mode.",
            "[160. 180.]": "Called without `training`, the layer works as at inference, with "
            "its moving averages. It has not seen a batch, so they are still 0 and 1 and "
            "change almost nothing here.",
        },
    ),
    Variant(
        id="09.c",
        section="What does each part do?",
        program="""
model = tf.keras.Sequential([tf.keras.layers.Dropout(0.3)])
x = tf.ones((1, 100))

with tf.GradientTape() as tape:
    first, second = model(x), model(x)
third = model(x, training=True)

print(np.array_equal(first, second), np.array_equal(first, third))
""",
        question="Is the first output equal to the second, and to the third?",
        right="True False",
        options={
            "False False": "In training mode, dropout draws new numbers in each call. But the "
            "first two calls have no `training=True`, so they drop nothing.",
            "False True": "A tape might turn dropout on. But a model does not know about tapes.",
            "True True": "The first two calls drop nothing. But the third has `training=True` "
            "and drops, even without a tape.",
            "True False": "Only the argument `training` decides. The first two calls drop "
            "nothing, and the third drops some of the ones.",
        },
    ),
    Variant(
        id="09.d",
        section="How do I measure the training loss?",
        program="""
errors = tf.data.Dataset.from_tensor_slices([1.0, 1.0, 1.0, 1.0, 6.0])
means = [tf.reduce_mean(batch) for batch in errors.batch(4)]

print(np.mean(means))
""",
        right="3.5",
        options={
            "2.0": "2 is the mean of all five numbers. But the program averages each batch "
            "first, and then averages the two means.",
            "1.0": "1 is the mean of the first batch. But there is also a short second batch.",
            "3.5": "The batches have 4 and 1 numbers, with the means 1 and 6. The last number "
            "has the same weight as the other four together.",
            "6.0": "6 is the mean of the last batch. But the first batch is included as well.",
        },
    ),
    Variant(
        id="09.d",
        section="How do I measure the training loss?",
        program="""
minutes = tf.data.Dataset.from_tensor_slices([10.0, 20.0, 30.0, 60.0, 70.0])
metric = tf.keras.metrics.Mean()

for batch in minutes.batch(3):
    metric.update_state(tf.reduce_mean(batch), sample_weight=len(batch))

print(f"{metric.result():.1f}")
""",
        right="38.0",
        options={
            "38.0": "3 · 20 + 2 · 65 is 190, for 5 numbers. Each mean is weighted by the size "
            "of its batch, so each number has the same weight.",
            "42.5": "42.5 is the mean of the two means, 20 and 65. But each mean is weighted "
            "by the size of its batch.",
            "95.0": "95 is the sum of 3 · 20 and 2 · 65, divided by the two batches. But a "
            "metric divides by the sum of the weights, 5.",
        },
    ),
    Variant(
        id="09.e",
        section="What if the batch does not fit into memory?",
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
            "1": "Gradients add up, and so do sums. But each part's loss is a mean over 2 "
            "numbers, not over 8.",
            "4": "Four means over 2 numbers make four times the mean over 8. To get the same "
            "gradient, divide by the number of parts.",
            "0.25": "Each part has a quarter of the numbers. But its mean is about as large as "
            "that of all, and four of them are added.",
            "2": "There are two numbers in each part. But only the number of means that are "
            "added matters.",
        },
        otherwise=(
            "The loss of each quarter is a mean. How does the sum of four means compare "
            "with the mean over all?"
        ),
    ),
    Variant(
        id="09.e",
        section="What if the batch does not fit into memory?",
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
            "3": "3 would be right with the mean of each part. But here each sum is divided by "
            "6, the size of the whole batch.",
            "1": "Sums add up, and each is divided by the size of the whole batch, not of its "
            "part. So the gradients of the parts sum to that of the whole.",
            "0.33": "Each part has a third of the batch. But all three are added.",
        },
        otherwise=(
            "The loss of each part is a sum divided by 6. What do these add up to over all parts?"
        ),
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
            "(3, 1)": "(3, 1) is the shape of `predicted`. But shapes are aligned from the "
            "right, so (3,) becomes (1, 3).",
            "(3,)": "(3,) is the shape of `wanted`. But `predicted` has two axes, and so does "
            "the difference.",
            "(3, 3)": "Each prediction is compared with each target, which gives nine "
            "differences. Only three of them are meant.",
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
            "0.0": "Both predictions are right, so the mean could be 0. But each prediction is "
            "compared with both targets.",
            "1.0": "Of the four absolute differences, two are 0 and two are 2, so their mean is 1.",
            "2.0": "2 is the size of two of the four differences. But the other two are 0.",
        },
    ),
)
