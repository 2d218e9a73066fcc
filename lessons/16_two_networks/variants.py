"""Predictions of lesson 16 with other numbers, for when they come back."""

from course_utils.exercises import Variant

VARIANTS = (
    Variant(
        id="16.a",
        section="Where does a game of two end?",
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
        question="They begin at a distance of 2 from (0, 0). How far away are they after 50 steps?",
        right="5.3",
        options={
            "0.0": "At (0, 0) neither has a reason to move. But no step leads there: each changes the "
            "other's slope, and they circle.",
            "2.0": "So it is for infinitely small steps: they go round in a circle.",
            "5.3": "Both answer from one recording, and a straight step along a circle ends a little "
            "outside: by the root of 1 + 0.2² each time. After 50 that is 2.67 times as far.",
        },
    ),
    Variant(
        id="16.a",
        section="Where does a game of two end?",
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
        question="Each goes down its own loss. How far from (0, 0) are they after 50 steps?",
        right="0.0",
        options={
            "2.0": "So it would be for tiny steps in the product alone, in a circle. The squares pull "
            "both to the middle.",
            "0.0": "The products make them circle, but each also has a square of its own. Its pull takes off "
            "a fifth in each step, more than the circling adds.",
            "2.6": "That is the circle that grows, for the product alone: 2 times 1.01 to the power "
            "of 25. The squares pull both to the middle.",
        },
    ),
    Variant(
        id="16.b",
        section="Where does a game of two end?",
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
            "1.5": "That is the step against the slope of before, 1. The second tape records anew, "
            "after the slope has moved.",
            "2.0": "That is where the shift began. But the gap's slope with respect to it "
            "is 2, and not 0.",
            "0.0": "2 - 2 would be a step with the whole of the new slope, 2. The rate is 0.5.",
            "1.0": "The slope moves first, from 1 to 2. Then the gap is recorded again, and the shift "
            "moves by 0.5 times 2.",
        },
    ),
    Variant(
        id="16.b",
        section="Where does a game of two end?",
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
            "0.0": "The guard is now at 4, and the step against it would be 2. But the tape still has "
            "the guard of before.",
            "2.0": "That is where the thief began. The guard's step does not move it, but its own does.",
            "0.5": "A tape holds the values that it saw. It saw the guard at 3, so the thief moves by "
            "1.5, as if the guard had not moved.",
        },
    ),
    Variant(
        id="16.c",
        section="Which variables may each network move?",
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
            "15.0": "The copy was made inside the block, so a path leads through it: 3 times 5. Only "
            "the sources that you ask for decide who moves.",
            "None": "It is the loss of the expert. But a tape knows no owners: it knows paths.",
            "0.0": "It would be 0 if another copy had the same loss. Another copy has another loss.",
            "10.0": "That is the copy, the slope of the expert's own variable. The one of the painter "
            "was asked for.",
        },
    ),
    Variant(
        id="16.c",
        section="Which variables may each network move?",
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
            "1.5": "That is 0.5 times 3, the slope along the path through the note. "
            "`stop_gradient` ends that path.",
            "None": "Whose loss it is would not matter. But `stop_gradient` hands on the number and "
            "not the path, and there is no other.",
            "0.0": "0 would mean a path along which nothing changes. Here there is no path.",
        },
    ),
    Variant(
        id="16.d",
        section="How does a slope keep the critic fair?",
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
            "6": "Each of the six points should have a share of its own. That takes the shape (6, 1).",
            "18": "There are 18 numbers. But three shares broadcast to six rows without a word.",
            "an error": "An error would help. But a size of 1 fits every size.",
            "3": "Each column has one share, and all six points have the same three. (1, 3) fits "
            "(6, 3), so nothing is said.",
        },
    ),
    Variant(
        id="16.d",
        section="How does a slope keep the critic fair?",
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
            "5": "Each town has a share of its own, and its four numbers are alike. That is the shape "
            "which puts each point on its own line.",
            "1": "So it would be with a share of shape (1, 1), for all towns alike. Here each row has "
            "one.",
            "20": "There are 20 numbers. But the four of a town share one number, since (5, 1) "
            "broadcasts along the row.",
            "4": "Each town has four numbers, and they are alike. It is the towns that differ.",
        },
    ),
    Variant(
        id="16.2",
        section="Which loss moves a losing generator?",
        program="""
logit = tf.Variable(-6.0)  # the critic is sure that it is a fake

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
            "lowered": "Its slope is p, near 0 for a fake that is recognised. The other's is 1 - p.",
            "fooling": "Its slope is 1 - p, near 1 where the generator loses. The other's is p, near 0.",
        },
    ),
    Variant(
        id="16.2",
        section="Which loss moves a losing generator?",
        program="""
logit = tf.Variable(5.0)  # the critic takes the fake for real

with tf.GradientTape() as tape:
    fooling = -tf.math.log(tf.sigmoid(logit))

print(round(abs(float(tape.gradient(fooling, logit))), 1))
""",
        right="0.0",
        options={
            "0.0": "The slope is 1 - p, and p is near 1: a generator that wins has little to learn here.",
            "1.0": "So it is where the generator loses. Here p is near 1, and the slope is 1 - p.",
            "0.5": "So it is where the critic is undecided, at the logit 0.",
        },
    ),
)
