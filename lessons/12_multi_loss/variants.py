"""Predictions of lesson 12 with other numbers, for when they come back."""

from course_utils.exercises import Variant

VARIANTS = (
    Variant(
        id="12.a",
        section="How do I penalize an activation?",
        program="""
import keras

calls = []

class Counted(keras.layers.Dense):
    def call(self, x):
        calls.append(self.name)
        return super().call(x)

x = keras.Input((5,))
house = Counted(8)(Counted(8)(Counted(8)(x)))
price, rent = keras.Model(x, Counted(1)(house)), keras.Model(x, Counted(1)(house))
calls.clear()  # those of building
both = price(tf.ones((2, 5))), rent(tf.ones((2, 5)))
print(len(calls))
""",
        right="8",
        options={
            "8": "Each model runs its three shared layers and one separate layer. The results "
            "of the first model are not reused.",
            "5": "There are five layers, three of them shared. But they share only weights: "
            "each model runs its whole chain from `x` on.",
            "6": "6 is three shared layers, twice. But each model also has a last layer.",
        },
    ),
    Variant(
        id="12.a",
        section="How do I penalize an activation?",
        program="""
import keras

calls = []

class Counted(keras.layers.Dense):
    def call(self, x):
        calls.append(self.name)
        return super().call(x)

x = keras.Input((5,))
cell = Counted(8)(x)
model = keras.Model(x, [Counted(1)(cell), Counted(1)(cell), Counted(1)(cell)])
calls.clear()  # those of building
size, shape, age = model(tf.ones((2, 5)))
print(len(calls))
""",
        right="4",
        options={
            "6": "6 would be right for three models that share one layer, because each runs it "
            "again. But this is one model.",
            "3": "There are three outputs, and three layers that compute them. But the shared "
            "layer runs as well.",
            "4": "One model with three outputs needs one pass: the shared layer runs once, and "
            "its result goes to all three.",
            "2": "Each output does have two layers in sequence. But there are three last layers.",
        },
    ),
    Variant(
        id="12.b",
        section="L1 or L2: which is sparse?",
        program="""
wanted = tf.constant([0.05, -0.1, 0.8, 0.02])
w = tf.Variable([0.3, -0.3, 0.5, 0.11])

for _ in range(60):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum((w - wanted) ** 2 / 2 + 0.2 * tf.abs(w))
    w.assign_sub(0.1 * tape.gradient(loss, w))

print(np.sum(w.numpy() == 0))
""",
        right="0",
        options={
            "3": "Three are wanted below 0.2, and the minimum has a 0 for each. But a step of "
            "fixed size carries each across it, back and forth.",
            "0": (
                "Near 0, each step is about 0.1 times 0.2, so a weight jumps past 0 instead of "
                "landing on it. Count the weights below a threshold instead."
            ),
            "4": "L1 pulls every weight toward 0. But the one that is wanted at 0.8 is pulled "
            "the other way, and stays near 0.6.",
        },
    ),
    Variant(
        id="12.b",
        section="L1 or L2: which is sparse?",
        program="""
wanted = tf.constant([0.05, -0.1, 0.8, 0.02, -0.6])
w = tf.zeros(5) + 0.3

for _ in range(60):
    with tf.GradientTape() as tape:
        tape.watch(w)
        loss = tf.reduce_sum((w - wanted) ** 2 / 2)
    w -= 0.1 * tape.gradient(loss, w)
    # the part of the penalty, by hand: 0.1 times 0.2
    w = tf.sign(w) * tf.maximum(tf.abs(w) - 0.02, 0)

print(np.sum(w.numpy() == 0))
""",
        right="3",
        options={
            "0": "0 would be right if L1 were a term of the loss, because each step jumps "
            "across 0. But here everything below 0.02 is set to 0.",
            "5": "The cut pulls all five toward 0. But 0.8 and -0.6 are farther from 0 than 0.2.",
            "2": "2 is the number of weights that stay: those wanted farther than 0.2 from 0. "
            "But the question is how many are 0.",
            "3": "Whatever is smaller than 0.02 becomes exactly 0, and three weights are not "
            "wanted enough to leave it. The exact zeros come from the cut, as they do from "
            "a ReLU.",
        },
    ),
    Variant(
        id="12.c",
        section="Do the losses pull the same way?",
        program="""
def losses(w):
    speed = (w[0] - 1) ** 2 + w[1] ** 2
    safety = 3 * (w[0] + 1) ** 2 + w[1] ** 2 / 2
    return speed, safety

w = tf.Variable([0.0, 1.0])
with tf.GradientTape(persistent=True) as tape:
    speed, safety = losses(w)

a, b = tape.gradient(speed, w), tape.gradient(safety, w)  # [-2, 2], [6, 1]
w.assign_sub(0.001 * (a + b))
change = losses(w)[0] - speed
""",
        question="The step follows the sum of both losses. What happens to the loss `speed`?",
        truth='"it rises" if change > 0 else "it falls"',
        right="it rises",
        options={
            "it falls": "The sum contains `speed`, so you might expect it to fall. But the "
            "step is -0.001 times [4, 3], and for `speed` only a · [4, 3] = -2 matters.",
            "it stays as it is": "That would need a · (a + b) = 0, a right angle. But here it "
            "is -2.",
            "it rises": "It changes by about -0.001 · a · (a + b), and a · (a + b) = -8 + 6 = "
            "-2. b is long and points against a, and `safety` falls by more.",
        },
    ),
    Variant(
        id="12.c",
        section="Do the losses pull the same way?",
        program="""
def losses(w):
    taste = (w[0] - 1) ** 2 + w[1] ** 2
    cost = (w[0] + 1) ** 2 + w[1] ** 2 / 2
    return taste, cost

w = tf.Variable([0.0, 1.0])
with tf.GradientTape(persistent=True) as tape:
    taste, cost = losses(w)

a, b = tape.gradient(taste, w), tape.gradient(cost, w)  # [-2, 2], [2, 1]
w.assign_sub(0.001 * (a + b))
changes = [float(now - then) for now, then in zip(losses(w), (taste, cost))]
""",
        question=(
            "The step follows the sum, and the cosine of a and b is negative. Which loss falls?"
        ),
        truth="{(True, True): 'both', (True, False): 'taste alone', (False, True): 'cost alone'}"
        "[changes[0] < 0, changes[1] < 0]",
        right="both",
        options={
            "both": "a · (a + b) = 8 - 2 and b · (a + b) = 5 - 2 are both above 0. A negative "
            "cosine is a conflict, but a loss rises only if the other gradient outweighs "
            "its own.",
            "cost alone": "If gradients point against each other, one loss seems to rise. But "
            "a is longer than b, so it would not be `taste`.",
            "taste alone": "a is the longer one, so it could outweigh b. But b · (a + b) = 5 - "
            "2 is above 0.",
        },
    ),
    Variant(
        id="12.d",
        section="Can the weights be learned?",
        program="""
error = 3.0  # the model does not get better
sigma = tf.Variable(1.0)

for _ in range(60):
    with tf.GradientTape() as tape:
        weighted = error / sigma**2
    sigma.assign_sub(2.0 * tape.gradient(weighted, sigma))

weight = 1 / sigma**2
""",
        question="What happens to the weight, 1 / sigma²?",
        truth='"goes to 0" if weight < 0.05 else "settles at 1/3" if weight < 1 else "grows without end"',
        right="goes to 0",
        options={
            "settles at 1/3": "1/3 is one divided by the error, a fair weight. But it takes a "
            "price for a large sigma to get there, and here there is none.",
            "grows without end": "A larger weight makes the sum larger. But training minimizes "
            "the sum.",
            "goes to 0": "A larger sigma makes the weighted error smaller, without making the "
            "model better. Nothing stops it.",
        },
    ),
    Variant(
        id="12.d",
        section="Can the weights be learned?",
        program="""
error = 4.0
s = tf.Variable(0.0)

for _ in range(60):
    with tf.GradientTape() as tape:
        weighted = tf.exp(-s) * error + s
    s.assign_sub(0.3 * tape.gradient(weighted, s))

print(f"{tf.exp(-s):.2f}")
""",
        right="0.25",
        options={
            "0.25": "At the minimum the slope 1 - 4 · exp(-s) is 0. With the price `+ s`, the "
            "weight converges to one divided by the error.",
            "0.00": "0.00 would be right without the last `+ s`. But with it, a smaller weight "
            "costs a larger s.",
            "4.00": "A large error might seem to need a large weight. But the weight is one "
            "divided by the error.",
            "1.00": "1.00 is the weight at the start. But the slope there is 1 - 4, so s grows.",
        },
    ),
    Variant(
        id="12.3",
        section="Can the weights be learned?",
        program="""
w = tf.Variable(1.0)

with tf.GradientTape() as tape:
    fit = w**2
    size = 3 * w
    total = fit + 0.5 * size

print(float(tape.gradient(total, w)))
""",
        right="3.5",
        options={
            "2.0": "2 is the slope of only the first loss. But the weighting is inside the "
            "block, so the second loss contributes 0.5 times 3.",
            "5.0": "5 is the sum without the weight. But the second loss has the weight 0.5.",
            "3.5": "The slope is 2 from the first loss, plus half of 3 from the second. The "
            "weighting is inside the block, so both have a path.",
        },
    ),
    Variant(
        id="12.3",
        section="Can the weights be learned?",
        program="""
w = tf.Variable(3.0)

with tf.GradientTape() as tape:
    fit = w**2
    size = 4 * w

print(float(tape.gradient([fit, 10 * size], w)))
""",
        right="6.0",
        options={
            "46.0": "46 is 6 + 40, with both losses. But `10 * size` is computed below the "
            "block, so the tape did not record it.",
            "10.0": "10 is 6 + 4, the slopes without the weight. But the second target is a "
            "new tensor that the tape did not record.",
            "6.0": "`10 * size` is computed below the block, so it has no path. Only the first "
            "target is left, with the slope 6.",
        },
    ),
)
