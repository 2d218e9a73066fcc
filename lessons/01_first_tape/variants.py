"""The predictions and values of lesson 01 with other numbers, for when they come back."""

from course_utils.exercises import Variant

VARIANTS = (
    Variant(
        id="01.a",
        section="What is on the tape?",
        program="""
speed = tf.Variable(10.0)  # m/s

with tf.GradientTape() as tape:
    distance = speed**2 / 20  # to stop, in m

speed.assign(30.0)
print(f"{tape.gradient(distance, speed)}")
""",
        right="1.0",
        options={
            "3.0": "3 is the slope at the current `speed`, 2 · 30 / 20. But the tape does not "
            "read the variable again.",
            "1.0": "The tape stored the 10 that `speed` held when the square was computed: 2 · "
            "10 / 20 = 1.",
            "an error": "The variable has changed after the recording, and TensorFlow could "
            "complain. But that is allowed.",
        },
    ),
    Variant(
        id="01.a",
        section="What is on the tape?",
        program="""
price, sold = tf.Variable(4.0), tf.Variable(100.0)

with tf.GradientTape() as tape:
    income = price * sold

sold.assign(80.0)
print(f"{tape.gradient(income, price)}")
""",
        right="100.0",
        options={
            "80.0": "The slope is the other factor, and `sold` is 80 now. But the tape stored "
            "the value from the moment of recording.",
            "4.0": (
                "4 is the slope with respect to `sold`. But the question asks for the slope with "
                "respect to `price`."
            ),
            "100.0": "The slope with respect to `price` is the other factor, as it was when "
            "the product was computed. The tape ignores later changes of `sold`.",
        },
    ),
    Variant(
        id="01.b",
        section="What is on the tape?",
        program="""
side = tf.Variable(3.0)  # m

with tf.GradientTape() as tape:
    area = side**2
paint = 0.5 * area  # liters

print(f"{tape.gradient(paint, side)}")
""",
        right="None",
        options={
            "None": "The tape was not recording when `paint` was computed, so it knows no path "
            "from `side` to `paint`.",
            "3.0": "3 is the mathematically correct slope, 0.5 · 2 · 3. But the last product "
            "is below the block, so the tape did not record it.",
            "6.0": "6 is the slope of `area`, the only thing that the tape recorded. But the "
            "target is `paint`, and a tape does not substitute another target.",
        },
    ),
    Variant(
        id="01.b",
        section="What is on the tape?",
        program="""
dose = tf.Variable(2.0)  # mg

with tf.GradientTape() as tape:
    effect = 5.0 * dose**2
percent = 100 * effect

print(f"{tape.gradient(effect, dose)}")
""",
        right="20.0",
        options={
            "2000.0": "2000 is the slope of `percent`. But the target is `effect`; for "
            "`percent` the tape would return `None`.",
            "20.0": "`effect` was computed from `dose` inside the block: 5 · 2 · 2 = 20. The "
            "line below the block is not recorded, and it changes nothing.",
            "None": "You would get `None` for `percent`, which is computed after the block. "
            "But the target is `effect`.",
        },
    ),
    Variant(
        id="01.c",
        section="What does a gradient cost?",
        program="""
calls = []

def energy(angles):  # of a chain with 12 joints
    calls.append("here")
    return tf.reduce_sum(1 - tf.cos(angles))

angles, h = tf.Variable(tf.ones(12)), 0.01
start = energy(angles)
slopes = [(energy(angles + h * moved) - start) / h for moved in tf.eye(12)]
by_differences = len(calls)

with tf.GradientTape() as tape:
    y = energy(angles)
slopes = tape.gradient(y, angles)
print(by_differences, "and", len(calls) - by_differences)
""",
        right="13 and 1",
        options={
            "24 and 1": "Two evaluations per joint is what a central difference needs. But "
            "these are forward differences, and the value at the start is computed once "
            "for all of them.",
            "13 and 12": "13 is right. But the tape does not take one joint at a time.",
            "12 and 1": "One evaluation per joint is needed. But the value at the start is "
            "needed as well.",
            "13 and 1": "Each joint is moved once, and the start is evaluated once. The tape "
            "runs the function once, and one backward pass gives all twelve slopes.",
        },
    ),
    Variant(
        id="01.c",
        section="What does a gradient cost?",
        program="""
calls = []

def loss(weights):
    calls.append("here")
    return tf.reduce_sum((weights - 1) ** 2)

weights = tf.Variable(tf.zeros(40))
for _ in range(5):
    with tf.GradientTape() as tape:
        value = loss(weights)
    weights.assign_sub(0.1 * tape.gradient(value, weights))

print(len(calls))
""",
        right="5",
        options={
            "10": "Each step has one forward and one backward pass. But the backward pass uses "
            "what was recorded, and does not call the function.",
            "5": "There is one call per step. The backward pass does not call the function, "
            "and one backward pass gives the slopes for all 40 weights.",
            "200": "One call per weight and step is roughly what forward differences need, "
            "because they move one weight at a time. But a tape does not.",
            "400": "Two calls per weight and step is what central differences need. But a tape "
            "needs only one call per step.",
        },
    ),
    Variant(
        id="01.2",
        section="What shape does a gradient have?",
        program="""
pixels = tf.ones((32, 9))
kernel = tf.Variable(tf.ones((9, 3)))

with tf.GradientTape() as tape:
    score = tf.reduce_sum(pixels @ kernel)

print(tape.gradient(score, kernel).shape)
""",
        right="(9, 3)",
        options={
            "(32, 3)": "(32, 3) is the shape of the product. But the gradient has one number "
            "for each entry of the source.",
            "(9, 3)": "The gradient has one number for each entry of the source, `kernel`, "
            "however large the batch is.",
            "(32, 9)": "(32, 9) is the shape of the batch. But the source here is `kernel`.",
            "()": "() is the shape of the score. But each of the 27 entries of `kernel` "
            "changes the score at a different rate.",
        },
    ),
    Variant(
        id="01.2",
        section="What shape does a gradient have?",
        program="""
table = tf.Variable(tf.ones((5, 2, 4)))

with tf.GradientTape() as tape:
    loss = tf.reduce_mean(tf.reduce_sum(table, axis=1) ** 2)

print(tape.gradient(loss, table).shape)
""",
        right="(5, 2, 4)",
        options={
            "(5, 4)": "(5, 4) is the shape after the sum over the axis of length 2. But the "
            "gradient has the shape of the source.",
            "()": "The loss is one number. But the gradient has one slope for each entry of "
            "`table`.",
            "(5, 2, 4)": "The gradient has the shape of the source. What the forward pass "
            "sums, the backward pass spreads out again.",
        },
    ),
)
