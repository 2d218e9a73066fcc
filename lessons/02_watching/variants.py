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
            "None": "`price` is a constant. By default, a tape watches only trainable "
            "variables, and no line here watches `price`.",
            "8.0": "8 is the mathematically correct slope, 16 · 0.5. But the tape does not "
            "watch `price`.",
            "0.0": "0 would mean that `cost` does not change with `price`. But it does; the "
            "tape only did not record it.",
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
            "False False": "Both are in the formula. But a tape has a gradient only for what "
            "it watches, and no line watches `height`.",
            "True True": "One gradient is lost. But each source is handled separately, and the "
            "tape watches `gravity`.",
            "False True": "This swaps the two. By default, a tape watches trainable variables, "
            "not constants.",
            "True False": "`gravity` is a trainable variable, which a tape watches by default. "
            "`height` is a constant and needs `tape.watch(height)`.",
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
            "6.0": "6 is the mathematically correct slope: the energy is speed², with the "
            "slope 2 · 3. But one of the two factors was computed above the block.",
            "None": "The path through `momentum` is lost. But `speed` is also read inside the "
            "block, and that path is still there.",
            "3.0": "The tape treats `momentum` as the constant 6, so the slope is 0.5 · 6 = 3. "
            "One of two paths is missing, and no message says so.",
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
            "12.0": "12 is the mathematically correct slope, 3 · 2², and the tape would return "
            "it if it saw the whole cube. But `base` was computed above the block.",
            "8.0": "8 is the part that goes through `base`, 2 · 2 · 2. But that path is the "
            "one that is lost.",
            "None": "You get `None` if no path is left. But `side` is also read inside the block.",
            "4.0": "The tape was not recording when `base` was computed, so it treats `base` "
            "as the constant 4. The slope of 4 · side is 4, without the part that goes "
            "through `base`.",
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
            "[0. 0. 0.]": "The basket is empty, so nothing contributes to the total. But a "
            "gradient says what one more piece would cost.",
            "None": "`basket` is a constant, which a tape does not watch by default. But here "
            "the tape does watch it.",
            "[3. 5. 2.]": "A gradient says how fast the total changes with each entry. That is "
            "the price, however full the basket is.",
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
            "[0. 0. 0.]": "The slope for each entry is 2 · stiffness · stretch, which is 0 at "
            "rest. The square makes it 0; for a plain weighted sum it would be the weight.",
            "[3. 5. 2.]": "[3. 5. 2.] would be right for a weighted sum. But here the squares "
            "are summed.",
            "[6. 10. 4.]": "[6. 10. 4.] is the slope if each spring is stretched by 1. But "
            "here every spring is at rest.",
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
            "4 and 4": "Keras does leave the frozen layer out of its list. But the tape does "
            "not use that list.",
            "6 and 6": "The tape does watch all six. But `trainable_variables` leaves out the "
            "frozen ones.",
            "6 and 4": "Each of the three layers has two variables. Freezing takes two out of "
            "Keras's list, but the `tf.Variable` inside each stays trainable, so the tape "
            "watches it.",
            "3 and 2": "3 and 2 are the numbers of layers. But a `Dense` layer has two "
            "variables, a kernel and a bias.",
        },
    ),
    Variant(
        id="02.d",
        section="Does a tape watch a frozen layer?",
        question="What does it print about the frozen kernel?",
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
            "changed": "The tape also watches the frozen layer's variables, and the loop "
            "updates everything that it gets. With `model.trainable_variables` the kernel "
            "would stay the same.",
            "the same": "The layer is frozen. But that only changes Keras's list, and this "
            "loop takes its variables from the tape.",
            "an error": "Multiplying `None` by 0.1 would raise an error. But the tape has a "
            "gradient for each variable that it watched here.",
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
            "[5.0, 5.0]": "q gets p = 5, which is right. But the product ran above the "
            "`watch`, so for p only 3 · p is recorded.",
            "[3.0, 5.0]": "q is watched from its first use, and p only from `watch` on. For p "
            "only 3 · p is recorded.",
            "[3.0, 0.0]": "p is right. But q is trainable, so the tape watched it from the "
            "start, and its slope is p.",
            "[5.0, 0.0]": "This swaps what the tape recorded. The product ran above the "
            "`watch`, so p gets only 3; q is trainable, so it gets p.",
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
            "5.0": "5 is the whole slope, 2 · rate + 4. But the square was computed before the "
            "tape watched `rate`.",
            "1.0": "1 is the slope of the square. But that is the part that the tape did not "
            "record.",
            "4.0": "`watch` does not reach back in time. Of the two terms, only the second is "
            "recorded.",
            "None": "The square is not recorded. But the tape watched `rate` in time for the "
            "second term.",
        },
    ),
)
