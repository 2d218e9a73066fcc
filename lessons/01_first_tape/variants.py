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
            "3.0": "It is the slope where `speed` is now, 2 · 30 / 20. But the tape does not look "
            "at the variable again.",
            "1.0": "2 · 10 / 20: the tape kept the 10 that `speed` held when the square was computed.",
            "an error": "The variable has changed behind the tape's back, and it could complain. "
            "Nothing does.",
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
            "80.0": "The slope is the other factor, and `sold` is 80 now. But the tape kept the "
            "value of the moment of recording.",
            "4.0": "It is the slope in `sold`. Asked is the one in `price`.",
            "100.0": "The slope in `price` is the other factor, as it was when the product was "
            "computed. What `sold` becomes later is not on the tape.",
        },
    ),
    Variant(
        id="01.b",
        section="What is on the tape?",
        program="""
side = tf.Variable(3.0)  # m

with tf.GradientTape() as tape:
    area = side**2
paint = 0.5 * area  # litres

print(f"{tape.gradient(paint, side)}")
""",
        right="None",
        options={
            "None": "When `paint` was computed, the tape was off. For the tape it came from nowhere, "
            "and no path leads back to `side`.",
            "3.0": "It is the true slope, 0.5 · 2 · 3. But the last product stands below the block, "
            "where the tape is off.",
            "6.0": "It is the slope of `area`, all that the tape recorded. But the target is "
            "`paint`, and a tape does not answer for another one.",
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
            "2000.0": "It is the slope of `percent`. Asked is that of `effect`, and for `percent` "
            "the tape would say None.",
            "20.0": "`effect` was computed inside the block, from `dose` on: 5 · 2 · 2. The line "
            "below the block is not recorded, and takes nothing away.",
            "None": "So it would be for `percent`, which is computed where the tape is off. The "
            "target is `effect`.",
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
            "24 and 1": "Twice for each joint is what a central difference takes. These are forward "
            "differences, and the start is computed once for all.",
            "13 and 12": "13 is right. But the tape does not take one joint at a time.",
            "12 and 1": "Once for each joint, and the value at the start is needed as well.",
            "13 and 1": "Each joint is moved once, and the start counts once more. The tape runs the "
            "function once, and its one walk back serves all twelve.",
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
            "10": "Once forward and once back, for each step. But the walk back uses what was "
            "recorded, and does not call the function.",
            "5": "One call for each step. The walk back does not call the function, and one walk "
            "gives the slopes for all 40 weights.",
            "200": "One call for each of 40 weights would be right for differences, nearly: they move "
            "one weight at a time. A tape does not.",
            "400": "Two calls for each weight in each step: that is what central differences would "
            "cost.",
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
            "(32, 3)": "That is the shape of the product. The gradient answers for each entry of the source.",
            "(9, 3)": "A number for each entry of the source, `kernel`, however large the batch.",
            "(32, 9)": "That is the shape of the batch, for which nobody asked.",
            "()": "That is the shape of the score. Each of 27 entries moves it at a rate of its own.",
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
            "(5, 4)": "That is what is left after the sum over the axis of 2. The gradient has the shape of the source.",
            "()": "The loss is one number. Its slope is asked for each entry of `table`.",
            "(5, 2, 4)": "The shape of the source: what is summed on the way forward is spread out on the way back.",
        },
    ),
)
