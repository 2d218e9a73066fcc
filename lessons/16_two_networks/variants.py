"""Predictions of lesson 16 with other numbers, for when they come back."""

from course_utils.exercises import Variant

VARIANTS = (
    Variant(
        id="16.a",
        section="Where does a game of two numbers end?",
        program="""
buyer, seller = tf.Variable(2.0), tf.Variable(0.0)

for _ in range(50):
    with tf.GradientTape() as tape:
        gain = buyer * seller  # the seller wants more of it, the buyer less
    by_buyer, by_seller = tape.gradient(gain, [buyer, seller])
    buyer.assign_sub(0.2 * by_buyer)
    seller.assign_add(0.2 * by_seller)

print(f"{tf.norm([buyer, seller]):.1f}")
""",
        question=(
            "They start at a distance of 2 from (0, 0). How far away are they after 50 steps?"
        ),
        right="5.3",
        options={
            "0.0": "At (0, 0) neither would move. But no step leads there: each changes the "
            "other's slope, so they circle.",
            "2.0": "2.0 would be right for infinitely small steps, on a circle. But these "
            "steps are longer.",
            "5.3": "Both steps come from one recording, and a straight step along a circle "
            "ends a little outside. The distance grows by a factor of √(1 + 0.2²) each "
            "time, so after 50 steps it is 2.67 times as large.",
        },
    ),
    Variant(
        id="16.a",
        section="Where does a game of two numbers end?",
        program="""
fox, hare = tf.Variable(2.0), tf.Variable(0.0)

for _ in range(50):
    with tf.GradientTape(persistent=True) as tape:
        of_fox = fox * hare + fox**2
        of_hare = -fox * hare + hare**2
    by_fox, by_hare = tape.gradient(of_fox, fox), tape.gradient(of_hare, hare)
    fox.assign_sub(0.1 * by_fox)
    hare.assign_sub(0.1 * by_hare)

print(f"{tf.norm([fox, hare]):.1f}")
""",
        question=(
            "Each goes downhill on its own loss. How far from (0, 0) are they after 50 steps?"
        ),
        right="0.0",
        options={
            "2.0": "2.0 would be right for tiny steps with only the product, on a circle. But "
            "the squares pull both to the middle.",
            "0.0": "The products make them circle, but each loss also has a square. It reduces "
            "the distance by a fifth in each step, more than the circling adds.",
            "2.6": "2.6 is the growing circle for only the product: 2 times 1.01 to the power "
            "of 25. But the squares pull both to the middle.",
        },
    ),
    Variant(
        id="16.b",
        section="Where does a game of two numbers end?",
        program="""
shift, slope = tf.Variable(2.0), tf.Variable(1.0)

with tf.GradientTape() as tape:
    gap = slope * shift
slope.assign_add(0.5 * tape.gradient(gap, slope))

with tf.GradientTape() as tape:
    gap = slope * shift
shift.assign_sub(0.5 * tape.gradient(gap, shift))
print(shift.numpy())
""",
        right="1.0",
        options={
            "1.5": "1.5 is the step with the old slope, 1. But the second tape records again, "
            "after the slope has changed.",
            "2.0": "2.0 is the shift at the start. But the derivative of the gap with respect "
            "to it is 2, not 0.",
            "0.0": "0.0 would be right with a learning rate of 1 and the new slope, 2. But the "
            "learning rate is 0.5.",
            "1.0": "The slope changes first, from 1 to 2. Then the gap is recorded again, and "
            "the shift changes by 0.5 times 2.",
        },
    ),
    Variant(
        id="16.b",
        section="Where does a game of two numbers end?",
        program="""
guard, thief = tf.Variable(3.0), tf.Variable(2.0)

with tf.GradientTape(persistent=True) as tape:
    risk = guard * thief
guard.assign_add(0.5 * tape.gradient(risk, guard))
thief.assign_sub(0.5 * tape.gradient(risk, thief))

print(thief.numpy())
""",
        right="0.5",
        options={
            "0.0": "The guard is now at 4, so the step against it would be 2. But the tape "
            "still has the old value of the guard.",
            "2.0": "2.0 is the value of the thief at the start. The guard's step does not "
            "change it, but its own step does.",
            "0.5": "A tape stores the values from the recording. The guard was 3 then, so the "
            "thief moves by 1.5, as if the guard had not moved.",
        },
    ),
    Variant(
        id="16.c",
        section="Whose weights does a step change?",
        program="""
painter, expert = tf.Variable(2.0), tf.Variable(3.0)

with tf.GradientTape() as tape:
    copy = 5.0 * painter
    loss_of_expert = expert * copy

slope = tape.gradient(loss_of_expert, painter)
print(slope if slope is None else slope.numpy())
""",
        right="15.0",
        options={
            "15.0": "The copy was computed inside the block, so there is a path through it: 3 "
            "times 5. Only the sources that you choose decide which variable moves.",
            "None": "It is the expert's loss, so `None` seems natural. But a tape knows only "
            "paths, not owners.",
            "0.0": "0 would mean that another copy has the same loss. But another copy has "
            "another loss.",
            "10.0": (
                "10 is the copy, the slope with respect to the expert. But the question asks for "
                "the slope with respect to the painter."
            ),
        },
    ),
    Variant(
        id="16.c",
        section="Whose weights does a step change?",
        program="""
forger, bank = tf.Variable(4.0), tf.Variable(0.5)

with tf.GradientTape() as tape:
    note = tf.stop_gradient(3.0 * forger)
    loss_of_bank = bank * note

slope = tape.gradient(loss_of_bank, forger)
print(slope if slope is None else slope.numpy())
""",
        right="None",
        options={
            "1.5": "1.5 is 0.5 times 3, the slope along the path through the note. But "
            "`tf.stop_gradient` breaks that path.",
            "None": "The owner of the loss does not matter. But `tf.stop_gradient` passes on "
            "only the value, not the path, and there is no other path.",
            "0.0": "0 would mean a path with slope 0. But here there is no path.",
        },
    ),
    Variant(
        id="16.d",
        section="How does a penalty keep the critic fair?",
        program="""
rng = np.random.default_rng(4)
real, fake = np.ones((6, 3)), np.zeros((6, 3))  # six points

share = rng.uniform(size=(1, 3))
between = share * real + (1 - share) * fake
print(len(np.unique(between)))
""",
        question="How many different numbers are there in `between`?",
        right="3",
        options={
            "6": "Each of the six points should have its own share. But that needs the shape "
            "(6, 1).",
            "18": "There are 18 numbers. But three shares silently broadcast to six rows.",
            "an error": "An error would help. But a size of 1 broadcasts to any size.",
            "3": "Each column has one share, and all six points have the same three. (1, 3) "
            "silently broadcasts to (6, 3).",
        },
    ),
    Variant(
        id="16.d",
        section="How does a penalty keep the critic fair?",
        program="""
rng = np.random.default_rng(4)
summer, winter = np.full((5, 4), 30.0), np.zeros((5, 4))  # five towns

share = rng.uniform(size=(5, 1))
between = share * summer + (1 - share) * winter
print(len(np.unique(between)))
""",
        question="How many different temperatures are there in `between`?",
        right="5",
        options={
            "5": "Each town has its own share, and its four numbers are equal. With this "
            "shape, each point is on its own line.",
            "1": "1 would be right with a share of shape (1, 1), the same for all towns. But "
            "here each row has its own share.",
            "20": "There are 20 numbers. But the four numbers in each row are equal, because "
            "(5, 1) broadcasts along the row.",
            "4": "Each town has four numbers. But they are equal; only the towns differ.",
        },
    ),
    Variant(
        id="16.2",
        section="Which loss helps a struggling generator?",
        program="""
logit = tf.Variable(-6.0)  # the discriminator is sure that it is a fake

with tf.GradientTape(persistent=True) as tape:
    p = tf.sigmoid(logit)
    lowered = tf.math.log(1 - p)
    fooling = -tf.math.log(p)

slopes = [abs(float(tape.gradient(y, logit))) for y in (lowered, fooling)]
print("lowered" if slopes[0] > slopes[1] else "fooling")
""",
        question="Which of the two losses is steeper there?",
        right="fooling",
        options={
            "lowered": "This swaps the two. The slope of `lowered` is p, near 0 for a fake "
            "that is recognized; that of `fooling` is 1 - p.",
            "fooling": "The slope of `fooling` is 1 - p, near 1 when the generator is losing. The "
            "slope of `lowered` is p, near 0.",
        },
    ),
    Variant(
        id="16.2",
        section="Which loss helps a struggling generator?",
        program="""
logit = tf.Variable(5.0)  # the discriminator takes the fake for real

with tf.GradientTape() as tape:
    fooling = -tf.math.log(tf.sigmoid(logit))

print(round(abs(float(tape.gradient(fooling, logit))), 1))
""",
        right="0.0",
        options={
            "0.0": "The slope is 1 - p, and p is near 1. A generator that wins has little to "
            "learn here.",
            "1.0": "1.0 would be right when the generator is losing. But here p is near 1, and the "
            "slope is 1 - p.",
            "0.5": "0.5 would be right if the discriminator is undecided, at the logit 0. But here "
            "the logit is 5.",
        },
    ),
)
