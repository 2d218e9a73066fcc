"""The predictions and values of lesson 02 with other numbers, for when they come back."""

from course_utils.exercises import Variant

VARIANTS = (
    Variant(
        id="02.a",
        section="Why is this gradient `None`?",
        program="""
price = tf.constant(0.5)

with tf.GradientTape() as tape:
    cost = 8.0 * price**2

print(tape.gradient(cost, price))
""",
        right="None",
        options={
            "None": "`price` is a constant. By itself a tape follows only trainable variables, and nothing "
            "here watches `price`.",
            "8.0": "It is the true slope, 16 · 0.5, and a tape would give it if it had followed `price`. "
            "Nothing told it to.",
            "0.0": "0 would mean that `cost` does not change with `price`. It does: the tape did not look.",
        },
    ),
    Variant(
        id="02.a",
        section="Why is this gradient `None`?",
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
            "False False": "Both stand in the formula, but a tape follows what is watched, and nobody told it to "
            "watch `height`.",
            "True True": "One gradient is lost, and not both: each source is looked up for itself, and `gravity` "
            "was watched.",
            "False True": "It is the other way round: a tape watches trainable variables by "
            "itself, and constants only when told.",
            "True False": "`gravity` is a trainable variable, which a tape watches by itself. `height` is a "
            "constant, and needs `tape.watch(height)`.",
        },
    ),
    Variant(
        id="02.b",
        section="When does watching start?",
        program="""
mass, speed = 2.0, tf.Variable(3.0)
momentum = mass * speed

with tf.GradientTape() as tape:
    energy = 0.5 * momentum * speed

print(f"{tape.gradient(energy, speed)}")
""",
        right="3.0",
        options={
            "6.0": "It is the truth: the energy is speed², with the slope 2 · 3. But one of the "
            "two factors was computed above the block.",
            "None": "`momentum` is lost to the tape. But `speed` stands in the block itself, and "
            "that path is there.",
            "3.0": "For this tape `momentum` is the fixed number 6, and 0.5 · 6 is left. One of two "
            "paths is missing, and nothing says so.",
        },
    ),
    Variant(
        id="02.b",
        section="When does watching start?",
        program="""
side = tf.Variable(2.0)
base = side**2

with tf.GradientTape() as tape:
    volume = base * side

print(f"{tape.gradient(volume, side)}")
""",
        right="4.0",
        options={
            "12.0": "It is the truth, 3 · 2², and what a tape says that sees the whole cube. But `base` "
            "stands above the block.",
            "8.0": "It is the part that goes through `base`, 2 · 2 · 2: the one that is lost.",
            "None": "That comes when no path is left. `side` stands in the block, too.",
            "4.0": "The tape was off when `base` was computed, so it is a constant 4. What is left is "
            "the slope of 4 · side, too small by the part that goes through `base`.",
        },
    ),
    Variant(
        id="02.c",
        section="Which pixels count?",
        program="""
prices = tf.constant([3.0, 5.0, 2.0])
basket = tf.zeros(3)  # nothing in it yet

with tf.GradientTape() as tape:
    tape.watch(basket)
    total = tf.reduce_sum(prices * basket)

print(f"{tape.gradient(total, basket)}")
""",
        right="[3. 5. 2.]",
        options={
            "[0. 0. 0.]": "The basket is empty, and nothing contributes to the total. But a gradient "
            "tells what one piece more would cost.",
            "None": "`basket` is a constant, but the tape was told to watch it.",
            "[3. 5. 2.]": "How fast does the total grow with each entry? By its price, however full "
            "the basket is.",
        },
    ),
    Variant(
        id="02.c",
        section="Which pixels count?",
        program="""
stiffness = tf.constant([3.0, 5.0, 2.0])
stretch = tf.zeros(3)  # three springs at rest

with tf.GradientTape() as tape:
    tape.watch(stretch)
    energy = tf.reduce_sum(stiffness * stretch**2)

print(f"{tape.gradient(energy, stretch)}")
""",
        right="[0. 0. 0.]",
        options={
            "[0. 0. 0.]": "The slope of each entry is 2 · stiffness · stretch, which is 0 at rest. "
            "It is the square that makes it 0; a plain weighted sum would have its weights.",
            "[3. 5. 2.]": "So it would be for a weighted sum. But here the squares are summed.",
            "[6. 10. 4.]": "It is the slope where each spring is stretched by 1. Here none is.",
        },
    ),
    Variant(
        id="02.d",
        section="Does a tape watch a frozen layer?",
        program="""
layers = [tf.keras.layers.Dense(4) for _ in range(3)]
model = tf.keras.Sequential([tf.keras.Input((2,)), *layers])

layers[0].trainable = False
with tf.GradientTape() as tape:
    loss = tf.reduce_mean(model(tf.ones((5, 2))) ** 2)

print(len(tape.watched_variables()), "and", len(model.trainable_variables))
""",
        right="6 and 4",
        options={
            "4 and 4": "The frozen layer is out of Keras's list. But the tape does not ask Keras.",
            "6 and 6": "The tape does watch all six. But `trainable_variables` leaves out what is "
            "frozen.",
            "6 and 4": "Three layers hold two variables each. Freezing takes two out of Keras's list; "
            "the `tf.Variable` inside each stays trainable, and the tape watches it.",
            "3 and 2": "These are layers. A `Dense` layer holds a kernel and a bias.",
        },
    ),
    Variant(
        id="02.d",
        section="Does a tape watch a frozen layer?",
        question="What does it print of the frozen kernel?",
        program="""
body, head = tf.keras.layers.Dense(2), tf.keras.layers.Dense(1)
model = tf.keras.Sequential([tf.keras.Input((3,)), body, head])
body.trainable = False
before = body.kernel.numpy()

with tf.GradientTape() as tape:
    loss = tf.reduce_sum(model(tf.ones((4, 3))))
sources = tape.watched_variables()
for variable, gradient in zip(sources, tape.gradient(loss, sources)):
    variable.assign_sub(0.1 * gradient)

print("the same" if np.array_equal(before, body.kernel) else "changed")
""",
        right="changed",
        options={
            "changed": "The tape watches the frozen layer's variables as well, and the loop trains "
            "what it gets. With `model.trainable_variables` the kernel would be the same.",
            "the same": "The layer is frozen. But that changes a list of Keras, and this loop takes "
            "its variables from the tape.",
            "an error": "`None` times 0.1 would be one. But the tape has a gradient for each variable "
            "that it watched here.",
        },
    ),
    Variant(
        id="02.2",
        section="When does watching start?",
        program="""
p = tf.Variable(5.0, trainable=False)
q = tf.Variable(2.0)

with tf.GradientTape() as tape:
    cost = p * q
    tape.watch(p)
    cost = cost + 3 * p

print([float(g) for g in tape.gradient(cost, [p, q])])
""",
        right="[3.0, 5.0]",
        options={
            "[5.0, 5.0]": "The product stood above the `watch`: of p, only 3 · p counts.",
            "[3.0, 5.0]": "q is watched from its first use, p from `watch` on: of p, only 3 · p counts.",
            "[3.0, 0.0]": "q is trainable, so the tape followed it into the product from the start: its slope is p.",
            "[5.0, 0.0]": "The product stood above the `watch`, so p gets 3 alone; and q, which is trainable, gets p.",
        },
    ),
    Variant(
        id="02.2",
        section="When does watching start?",
        program="""
rate = tf.constant(0.5)

with tf.GradientTape() as tape:
    decay = rate**2
    tape.watch(rate)
    total = decay + 4 * rate

print(float(tape.gradient(total, rate)))
""",
        right="4.0",
        options={
            "5.0": "That is the whole slope, 2 · rate + 4. The square was computed before anything watched `rate`.",
            "1.0": "That is the slope of the square, which the tape did not see.",
            "4.0": "`watch` does not look back: of the two terms, only the second one counts.",
            "None": "Something watched `rate` in time for the second term.",
        },
    ),
)
