"""Predictions of lesson 15 with other numbers, for when they come back."""

from course_utils.exercises import Variant

VARIANTS = (
    Variant(
        id="15.a",
        section="Which pixels would change the answer?",
        program="""
radius = tf.constant([1.0, 2.0, 5.0])

with tf.GradientTape() as tape:
    tape.watch(radius)
    square = radius**2  # one for each radius

slopes = tape.gradient(square, radius)
print(slopes[1].numpy())
""",
        right="4.0",
        options={
            "4.0": "The second radius moves one square and no other. The others have slope 0 there, "
            "so the sum does no harm.",
            "16.0": "The target is summed, and the three slopes are 2, 4 and 10. But the second radius "
            "moves only the second square.",
            "5.33": "That is the mean of the three slopes, 2, 4 and 10. Nothing divides by 3, and "
            "nothing mixes.",
        },
    ),
    Variant(
        id="15.a",
        section="Which pixels would change the answer?",
        program="""
price = tf.constant([1.0, 2.0, 6.0])

with tf.GradientTape() as tape:
    tape.watch(price)
    income = price * tf.reduce_mean(price)  # one for each shop

slopes = tape.gradient(income, price)
print(f"{slopes[0]:.2f}")
""",
        question="The mean is 3. What does it print?",
        right="6.00",
        options={
            "3.33": "That is the slope of the first income alone: 3 + 1/3. But the first price is in "
            "the mean, and so in the incomes of all shops.",
            "3.00": "So it would be if the mean were a constant. It depends on each price.",
            "6.00": "A tape sums its targets, and the first price moves all three: its own income by "
            "3, and by the mean all of them together by 9/3. These examples are not independent.",
        },
    ),
    Variant(
        id="15.b",
        section="Which pixels would change the answer?",
        program="""
import keras

model = keras.Sequential([
    keras.Input((4,)),
    keras.layers.Dense(8, name="old"),
    keras.layers.Dense(8),
    keras.layers.Dense(1),
])
model.get_layer("old").trainable = False

with tf.GradientTape() as tape:
    model(tf.ones((1, 4)))
print(len(tape.watched_variables()))
""",
        right="6",
        options={
            "4": "That is the length of `model.trainable_variables`, which the line makes shorter. The "
            "tape does not ask that list.",
            "6": "Each layer has a kernel and a bias, and a tape watches a variable when it is read, "
            "frozen layer or not. What you ask for decides.",
            "2": "Those are the variables of the frozen layer. They are watched as the others are.",
            "0": "One layer was frozen, not the model. And the tape watches a frozen layer, too.",
        },
        otherwise="There are three layers with two variables each. Does `trainable = False` of a "
        "layer speak to the tape?",
    ),
    Variant(
        id="15.b",
        section="Which pixels would change the answer?",
        program="""
import keras

layers = [keras.layers.Dense(3), keras.layers.Dense(1)]
model = keras.Sequential([keras.Input((4,)), *layers])
model.trainable = False
x = tf.ones((1, 4))

with tf.GradientTape(watch_accessed_variables=False) as tape:
    tape.watch(x)
    model(x)
print(len(tape.watched_variables()))
""",
        question="The model has four variables. What does it print?",
        right="0",
        options={
            "0": "`watch_accessed_variables=False` speaks to the tape: it watches x alone, which is no "
            "variable. `trainable = False` would not have done it.",
            "4": "So it is with a usual tape, whatever `trainable` says. This one was told not to "
            "watch what it reads.",
            "1": "It watches x. But x is a tensor, and the list holds variables.",
        },
        otherwise="Either the tape watches what the model reads, or it does not.",
    ),
    Variant(
        id="15.c",
        section="Do the parts add up to the answer?",
        program="""
dose = tf.constant(2.0)

with tf.GradientTape() as tape:
    tape.watch(dose)
    effect = 1 - tf.exp(-8 * dose)  # 1.00, nearly all there can be

part = dose * tape.gradient(effect, dose)
print(f"{part:.2f}")
""",
        right="0.00",
        options={
            "1.00": "The effect is all due to the dose, so its part should be all of it. But a slope "
            "knows only the place where it is taken.",
            "0.50": "The effect of 1 divided by the dose of 2 is the mean slope. The part asks for "
            "the slope at 2.",
            "16.00": "That is dose times 8, the slope at a dose of 0. At 2 the curve is flat.",
            "0.00": "At a dose of 2 more dose changes nothing: the slope is 8 · exp(-16). The rise was "
            "at the beginning of the way.",
        },
    ),
    Variant(
        id="15.c",
        section="Do the parts add up to the answer?",
        program="""
width, height = tf.constant(2.0), tf.constant(5.0)

with tf.GradientTape() as tape:
    tape.watch([width, height])
    strength = width * height**2  # 50

by_width, by_height = tape.gradient(strength, [width, height])
print((width * by_width + height * by_height).numpy())
""",
        right="150.0",
        options={
            "50.0": "Parts should add up to the whole, 50. Gradient times input does so where the "
            "function is linear, and this one is not.",
            "150.0": "The parts are 50 for the width and 100 for the height. Each slope is that of the "
            "end, where the function is steepest. Integrated gradients would add up to 50.",
            "0.0": "So it would be on a plateau. Here both slopes are large: 25 and 20.",
            "45.0": "That is the sum of the slopes, 25 and 20. Each is to be multiplied by its input.",
        },
    ),
    Variant(
        id="15.d",
        section="What does such a picture prove?",
        program="""
picture = tf.constant([0.0, 0.9, 0.0, 0.0, 0.7])
random_weights = tf.constant([1.3, -0.4, 0.8, -2.1, 0.6])

with tf.GradientTape() as tape:
    tape.watch(picture)
    score = tf.tanh(tf.reduce_sum(random_weights * picture))

part = picture * tape.gradient(score, picture)
print(np.flatnonzero(part))
""",
        question="Which pixels have a part that is not 0?",
        right="[1 4]",
        options={
            "[1 4]": "Where the picture is 0, so is the product. The map has the picture's form, "
            "whatever the weights are.",
            "[0 1 2 3 4]": "The gradient is not 0 at any of the five. But it is multiplied by the "
            "picture.",
            "[3]": "Pixel 3 has the largest weight, and so the largest gradient. There the picture is "
            "0, and so is the product.",
        },
    ),
    Variant(
        id="15.d",
        section="What does such a picture prove?",
        program="""
notes = tf.constant([0.0, 3.0, 0.0, 1.0, 0.0, 2.0])

def loudness(notes):
    return tf.reduce_sum(tf.sqrt(notes + 1.0))

with tf.GradientTape() as tape:
    tape.watch(notes)
    result = loudness(notes)

gradient = tape.gradient(result, notes)
print(np.count_nonzero(gradient), np.count_nonzero(notes * gradient))
""",
        right="6 3",
        options={
            "3 3": "What is 0 seems not to count. But a silent note would make it louder if it were "
            "played: the gradient is 0.5 there.",
            "6 6": "Every note has a slope, also the silent ones. But their product with 0 is 0.",
            "3 6": "The gradient is the one that all six have. It is the product that loses three.",
            "6 3": "Every note has a slope. Multiplied by the notes, the silent ones vanish, and what "
            "is left has the form of what was played.",
        },
    ),
    Variant(
        id="15.e",
        section="How small a step fools the network?",
        program="""
weights = tf.tile(tf.constant([0.02, -0.02]), [200])  # 400 pixels

step = 0.1 * tf.sign(weights)
print(f"{tf.reduce_sum(weights * step):.2f}")
""",
        question="Each pixel moves by 0.1. By how much does the score change?",
        right="0.80",
        options={
            "0.80": "Each of the 400 products is 0.1 · 0.02, and all have the same sign: the change "
            "grows with the number of pixels.",
            "0.04": "So much it is with random signs: they mostly cancel, and what is left grows with "
            "the root of 400. These signs are those of the weights.",
            "0.00": "Half of the weights are negative, and they would cancel if all pixels moved alike. "
            "But each moves in the direction of its own weight.",
            "0.10": "That is the step of one pixel. The score adds up 400 of them, each times 0.02.",
        },
    ),
    Variant(
        id="15.e",
        section="How small a step fools the network?",
        program="""
rng = np.random.default_rng(1)
weights = 0.5 * rng.choice([-1.0, 1.0], 10_000)

# 500 moves, each of 0.01 in every pixel, with random signs
moves = 0.01 * rng.choice([-1.0, 1.0], (500, 10_000))
print(f"{np.std(moves @ weights):.1f}")
""",
        question="How large is such a change of the score, as a standard deviation?",
        right="0.5",
        options={
            "50.0": "10,000 products of 0.005 make 50 if all have one sign: with the signs of the "
            "weights. Random signs mostly cancel.",
            "0.5": "Random products mostly cancel, and what is left grows with the root: 100 times "
            "0.005. The right signs would make 10,000 times 0.005, a hundred times as much.",
            "0.0": "On average it is 0, up and down alike. A single move still changes the score, "
            "and the standard deviation says by how much.",
        },
    ),
)
