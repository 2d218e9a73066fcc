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
            "4.0": "The second radius changes only the second square. The others do not depend "
            "on it, so the sum does no harm.",
            "16.0": "16 is the sum of the three slopes, 2, 4 and 10, and the target is summed. "
            "But the second radius changes only the second square.",
            "5.33": "5.33 is the mean of the three slopes, 2, 4 and 10. But nothing divides by "
            "3, and nothing mixes.",
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
            "3.33": "3.33 is the slope of only the first income: 3 + 1/3. But the first price "
            "is in the mean, and so in the incomes of all shops.",
            "3.00": "3.00 would be right if the mean were a constant. But it depends on each "
            "price.",
            "6.00": "A tape sums its targets, and the first price changes all three: its own "
            "income by 3, and all of them together, through the mean, by 9/3. These "
            "examples affect each other.",
        },
    ),
    Variant(
        id="15.c",
        section="Can I split a score among the pixels?",
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
            "1.00": "The whole effect comes from the dose, so its part should be 1. But a "
            "slope knows only the point where it is computed.",
            "0.50": "0.50 is the effect, 1, divided by the dose, 2: the mean slope. But the "
            "part uses the slope at 2.",
            "16.00": "16 is the dose times 8, the slope at a dose of 0. But at 2 the curve is "
            "flat.",
            "0.00": "At a dose of 2, more dose changes nothing: the slope is 8 · exp(-16). The "
            "effect rose at smaller doses.",
        },
    ),
    Variant(
        id="15.c",
        section="Can I split a score among the pixels?",
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
            "50.0": "The parts should add up to the whole, 50. But gradient times input does "
            "that only for linear functions.",
            "150.0": "The parts are 50 for the width and 100 for the height. Each slope is the "
            "one at the end, where the function is steepest; integrated gradients would "
            "add up to 50.",
            "0.0": "0 would be right on a plateau. But here both slopes are large: 25 and 20.",
            "45.0": "45 is the sum of the slopes, 25 and 20. But each slope is multiplied by "
            "its input.",
        },
    ),
    Variant(
        id="15.d",
        section="What does a map of gradients prove?",
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
            "[1 4]": "If a pixel of the image is 0, so is the product. The map has the shape "
            "of the image, whatever the weights are.",
            "[0 1 2 3 4]": "The gradient is not 0 at any of the five pixels. But it is "
            "multiplied by the image.",
            "[3]": "Pixel 3 has the largest weight, and so the largest gradient. But the "
            "image is 0 there, and so is the product.",
        },
    ),
    Variant(
        id="15.d",
        section="What does a map of gradients prove?",
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
            "3 3": "A silent note seems to make no difference. But it would be louder if it "
            "were played: its gradient is 0.5.",
            "6 6": "Every note has a slope, even a silent one. But the product of the slope "
            "and 0 is 0.",
            "3 6": "This swaps the two. All six notes have a gradient, but three products are 0.",
            "6 3": "Every note has a slope. Multiplied by the notes, the silent ones become 0, "
            "so the rest has the shape of what was played.",
        },
    ),
    Variant(
        id="15.e",
        section="Can a small step fool the network?",
        program="""
weights = tf.tile(tf.constant([0.02, -0.02]), [200])  # 400 pixels

step = 0.1 * tf.sign(weights)
print(f"{tf.reduce_sum(weights * step):.2f}")
""",
        question="Each pixel moves by 0.1. By how much does the score change?",
        right="0.80",
        options={
            "0.80": "Each of the 400 products is 0.1 · 0.02, and all have the same sign. So "
            "the change grows with the number of pixels.",
            "0.04": (
                "0.04 is right for random signs: they mostly cancel, and what remains is "
                "proportional to the square root of their number, 400. But these are the signs of "
                "the weights."
            ),
            "0.00": "Half of the weights are negative, and they would cancel if all pixels "
            "moved the same way. But each pixel moves in the direction of its weight.",
            "0.10": "0.10 is the step of one pixel. But the score sums 400 of them, each times "
            "0.02.",
        },
    ),
    Variant(
        id="15.e",
        section="Can a small step fool the network?",
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
            "50.0": "50 is right if all 10,000 products of 0.005 have one sign, as with the "
            "signs of the weights. But random signs mostly cancel.",
            "0.5": "Random products mostly cancel, and the rest grows with the root of their "
            "number: 100 times 0.005. The right signs would give 10,000 times 0.005, a "
            "hundred times as much.",
            "0.0": "The mean change is 0. But a single move still changes the score, and the "
            "standard deviation says by how much.",
        },
    ),
)
