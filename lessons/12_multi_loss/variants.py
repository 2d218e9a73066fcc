"""Predictions of lesson 12 with other numbers, for when they come back."""

from course_utils.exercises import Variant

VARIANTS = (
    Variant(
        id="12.a",
        section="How do I penalise an activation?",
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
            "8": "Each model runs its three shared layers and one of its own. What the first one "
            "computed is not used again.",
            "5": "There are five layers, three of them shared. But what is shared is their weights: "
            "each model runs its own way from x on.",
            "6": "Six is three shared layers, twice. Each model has a last layer, too.",
        },
    ),
    Variant(
        id="12.a",
        section="How do I penalise an activation?",
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
            "6": "That would be three models which share one layer: each runs it again. This is one "
            "model.",
            "3": "There are three outputs, and three layers that make them. The shared one runs, too.",
            "4": "One model with three outputs is one pass: the shared layer runs once, and its "
            "result goes to all three.",
            "2": "Two layers lie behind each other, that is true. But there are three last ones.",
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
            "3": "Three are wanted below 0.2, and the minimum has a 0 for each of them. But a step of "
            "fixed length carries each across it, to and fro.",
            "0": "Near 0 each step is about 0.1 times 0.2 long, and it hops over. Count what is "
            "below a threshold.",
            "4": "L1 draws every weight towards 0. But the one that is wanted at 0.8 is pulled the other "
            "way, and stays near 0.6.",
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
            "0": "So it is where L1 is a term of the loss: the step hops across 0. Here what "
            "is shorter than 0.02 is cut off.",
            "5": "The cut draws all five towards 0. But 0.8 and -0.6 are further from it than 0.2.",
            "2": "Two weights stay: those wanted further than 0.2 from 0. The others end at 0.",
            "3": "What is left shorter than 0.02 becomes exactly 0, and three are not wanted enough "
            "to leave it. The exact zeros come from the cut, as they did from a ReLU.",
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
        question="The step follows the sum of both losses. What does the loss `speed` do?",
        truth='"it rises" if change > 0 else "it falls"',
        right="it rises",
        options={
            "it falls": "The sum contains it, so you might expect that. But the step is -0.001 times "
            "[4, 3], and for `speed` only a · [4, 3] = -2 counts.",
            "it stays as it is": "That would need a · (a + b) = 0, a right angle. Here it is -2.",
            "it rises": "It changes by about -0.001 · a · (a + b), and a · (a + b) = -8 + 6 = -2. "
            "b is long, and points against a. `safety` falls by more.",
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
        question="The step follows the sum; the cosine of a and b is negative. Which loss falls?",
        truth="{(True, True): 'both', (True, False): 'taste alone', (False, True): 'cost alone'}"
        "[changes[0] < 0, changes[1] < 0]",
        right="both",
        options={
            "both": "a · (a + b) = 8 - 2 and b · (a + b) = 5 - 2 are both above 0. A negative cosine "
            "is a conflict, but one loses only if the other's part outweighs its own.",
            "cost alone": "One must lose where gradients point against each other, it seems. But a "
            "is longer than b, so if one loses here, it is not `taste`.",
            "taste alone": "a is the longer one, and it could outweigh b. But b · (a + b) = 5 - 2 is "
            "above 0.",
        },
    ),
    Variant(
        id="12.d",
        section="How do I weigh them?",
        program="""
error = 3.0  # the model does not get better
sigma = tf.Variable(1.0)

for _ in range(60):
    with tf.GradientTape() as tape:
        weighted = error / sigma**2
    sigma.assign_sub(2.0 * tape.gradient(weighted, sigma))

weight = 1 / sigma**2
""",
        question="What does the weight, 1 / sigma², do?",
        truth='"goes to 0" if weight < 0.05 else "settles at 1/3" if weight < 1 else "grows without end"',
        right="goes to 0",
        options={
            "settles at 1/3": "One third is one divided by the error, a fair weight. It takes a price "
            "for a large sigma to get there, and there is none.",
            "grows without end": "A larger weight makes the sum larger, and training goes down.",
            "goes to 0": "A larger sigma makes the weighted error smaller, and no model better. "
            "Nothing holds it back.",
        },
    ),
    Variant(
        id="12.d",
        section="How do I weigh them?",
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
            "0.25": "At the bottom the slope 1 - 4 · exp(-s) is 0. With the price, the weight "
            "settles at one divided by the error.",
            "0.00": "So it ends without the last `+ s`. That is the price: a smaller weight "
            "costs a larger s.",
            "4.00": "A large error would get a large weight. It is the other way round: the "
            "weight is one divided by the error.",
            "1.00": "There it starts. The slope there is 1 - 4, so s grows.",
        },
    ),
    Variant(
        id="12.3",
        section="How do I weigh them?",
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
            "2.0": "The weighing stands in the block, so the second loss counts: 0.5 times 3.",
            "5.0": "The second loss is weighed by 0.5.",
            "3.5": "2 of the first, and half of 3 of the second: weighed inside the block, both have a path.",
        },
    ),
    Variant(
        id="12.3",
        section="How do I weigh them?",
        program="""
w = tf.Variable(3.0)

with tf.GradientTape() as tape:
    fit = w**2
    size = 4 * w

print(float(tape.gradient([fit, 10 * size], w)))
""",
        right="6.0",
        options={
            "46.0": "`10 * size` is made below the block, where nothing is recorded.",
            "10.0": "Two targets are summed, but the second is a new tensor that the tape never saw.",
            "6.0": "`10 * size` is a tensor from below the block: it has no path, and the first target is left.",
        },
    ),
)
