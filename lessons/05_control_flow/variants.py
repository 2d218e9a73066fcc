"""The predictions and values of lesson 05 with other numbers, for when they come back."""

from course_utils.exercises import Variant

VARIANTS = (
    Variant(
        id="05.a",
        section="Which path does the tape record?",
        program="""
def pay(hours, bonus):
    if hours > 40:
        return 20 * hours + bonus * (hours - 40)
    return 20 * hours

hours, bonus = tf.Variable(38.0), tf.Variable(10.0)
with tf.GradientTape() as tape:
    total = pay(hours, bonus)

print(f"{tape.gradient(total, bonus)}")
""",
        right="None",
        options={
            "0.0": "A higher bonus changes nothing at 38 hours, so 0 seems right. But to return 0, "
            "the tape needs a path.",
            "None": "Python took the branch without `bonus`, so no recorded operation read it. "
            "The tape never sees the `if`.",
            "-2.0": "-2 is the factor hours - 40. But it belongs to the branch that did not run.",
        },
    ),
    Variant(
        id="05.a",
        section="Which path does the tape record?",
        program="""
def pay(hours, bonus):
    overtime = tf.maximum(hours - 40, 0.0)
    return 20 * hours + bonus * overtime

hours, bonus = tf.Variable(38.0), tf.Variable(10.0)
with tf.GradientTape() as tape:
    total = pay(hours, bonus)

print(f"{tape.gradient(total, bonus)}")
""",
        right="0.0",
        options={
            "0.0": "There is no `if`: the product with `bonus` is computed, and its other "
            "factor is 0. So there is a path, and its slope is 0.",
            "None": "You would get `None` if an `if` had skipped the product. But here the "
            "tape recorded it, and a product with 0 is a path.",
            "-2.0": "The factor hours - 40 is -2. But `maximum` turns it into 0.",
        },
    ),
    Variant(
        id="05.b",
        section="When does Python run?",
        program="""
marks = []

@tf.function
def area(side):
    marks.append("here")
    return side**2

for side in (1.0, 2.0, 2.0, 3.0):
    area(side)

print(len(marks))
""",
        right="3",
        options={
            "1": "1 would be right for tensors, for which only shape and dtype matter. But "
            "these are Python numbers, and each value needs a separate graph.",
            "3": "A Python number is built into the graph, so each new value needs a trace. "
            "1.0, 2.0 and 3.0 trace once each, and the second 2.0 reuses a graph.",
            "4": "There are four calls. But the two calls with 2.0 share a trace.",
        },
        otherwise="Python runs once per trace, and each new value of a Python number needs a "
        "trace. How many different values are there?",
    ),
    Variant(
        id="05.b",
        section="When does Python run?",
        program="""
marks = []

@tf.function
def total(prices):
    marks.append("here")
    return tf.reduce_sum(prices)

for prices in ([1.0], [2.0], [3.0, 4.0], [5.0, 6.0], [7.0]):
    total(tf.constant(prices))

print(len(marks))
""",
        right="2",
        options={
            "1": "All tensors have the dtype `float32`. But a new shape also needs a trace, "
            "and there are two shapes.",
            "2": "There is one trace for the shape (1,) and one for (2,). The last call reuses "
            "the first graph.",
            "3": "The shape changes twice. But graphs are stored, and the last call reuses the "
            "first one.",
            "5": "There are five calls with five different tensors. But the values of a tensor "
            "do not matter.",
        },
        otherwise="Python runs once per trace, and a new shape or dtype of a tensor needs a "
        "trace. How many shapes are there?",
    ),
    Variant(
        id="05.c",
        section="What happens to the branch not taken?",
        program="""
fee = tf.Variable(2.0)

@tf.function
def slope_at(distance):
    with tf.GradientTape() as tape:
        if distance > 10:
            cost = fee * distance
        else:
            cost = 5.0 + distance
    return tape.gradient(cost, fee)

print(f"{slope_at(tf.constant(4.0))}")
""",
        right="0.0",
        options={
            "None": "You would get `None` without `tf.function`, when the tape records only "
            "the branch that runs. But this graph contains both branches.",
            "4.0": "4 is the slope of the branch that is not taken. But the graph does not run it.",
            "0.0": "The condition is a tensor, so the graph contains both branches in one "
            "operation, and `fee` is one of its inputs. There is a path, and its slope is "
            "0.",
        },
    ),
    Variant(
        id="05.c",
        section="What happens to the branch not taken?",
        program="""
fee = tf.Variable(2.0)

@tf.function
def slope_of(distance, is_far):
    with tf.GradientTape() as tape:
        if is_far:
            cost = fee * distance
        else:
            cost = 5.0 + distance
    return tape.gradient(cost, fee)

print(f"{slope_of(tf.constant(4.0), False)}")
""",
        right="None",
        options={
            "None": "Python evaluates its own `False` during tracing, so only one branch "
            "becomes part of the graph. In that branch nothing reads `fee`.",
            "0.0": "0 would be right if `is_far` were a tensor, because then the graph would "
            "contain both branches. But it is a Python bool.",
            "4.0": "4 is the slope of the other branch. But that branch is not even in the graph.",
        },
    ),
    Variant(
        id="05.d",
        section="What happens in a loop over a dataset?",
        program="""
w = tf.Variable(2.0)
lengths = tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0])

@tf.function
def slope():
    with tf.GradientTape() as tape:
        loss = 0.0
        for length in lengths:
            loss += (w * length) ** 2
        loss += 0.5 * w**2
    return tape.gradient(loss, w)

print(f"{slope()}")
""",
        right="2.0",
        options={
            "58.0": "58 is the correct gradient: 56 from the loop and 2 from the last term. "
            "But in a graph the loop over a dataset has no gradient.",
            "None": "The loop's part is lost. But the last term has another path.",
            "56.0": "56 is the loop's part. But that is the part that is lost.",
            "2.0": "Only the last term, 0.5 · w², contributes its slope, 2. The loop's 56 are "
            "missing, and there is no `None` to warn you.",
        },
    ),
    Variant(
        id="05.d",
        section="What happens in a loop over a dataset?",
        program="""
w = tf.Variable(2.0)
lengths = tf.constant([1.0, 2.0, 3.0])

@tf.function
def slope():
    with tf.GradientTape() as tape:
        loss = 0.0
        for length in lengths:
            loss += (w * length) ** 2
    return tape.gradient(loss, w)

print(f"{slope()}")
""",
        right="56.0",
        options={
            "None": "You would get `None` if `lengths` were a dataset. But it is a tensor, so "
            "the graph has a while loop, which has a gradient.",
            "56.0": "A loop over a tensor becomes a while loop in the graph, and that has a "
            "gradient: 2 · 2 · (1 + 4 + 9). With a dataset in its place you would get "
            "`None`.",
            "36.0": "36 is the part of the last iteration, 2 · 2 · 3². But the backward pass "
            "goes through all three.",
            "0.0": "0 is what a graph returns for a branch that was not taken. But this loop runs.",
        },
    ),
    Variant(
        id="05.e",
        section="Can I differentiate an algorithm?",
        program="""
deposit = tf.Variable(50.0)
balance = tf.constant(1200.0)

with tf.GradientTape() as tape:
    while balance < 1000:
        balance = balance + deposit

print(f"{tape.gradient(balance, deposit)}")
""",
        right="None",
        options={
            "1.0": "1 is the slope of one iteration. But there is none, because 1200 is "
            "already above the goal.",
            "None": "The loop made no iteration, so `balance` is the constant from the second "
            "line. There is no path from `deposit`.",
            "0.0": "The balance does not change with the deposit, so 0 seems right. But for a "
            "0 the tape needs a path.",
        },
    ),
    Variant(
        id="05.e",
        section="Can I differentiate an algorithm?",
        program="""
deposit = tf.Variable(50.0)
balance = tf.constant(900.0)

with tf.GradientTape() as tape:
    while balance < 1000:
        balance = balance + deposit

print(f"{tape.gradient(balance, deposit)}")
""",
        right="2.0",
        options={
            "None": "You would get `None` if the loop made no iteration. But it makes two.",
            "1.0": "Each iteration has the slope 1. But there are two iterations, and their "
            "parts add up.",
            "0.0": "The loop ends at 1000 whatever the deposit is, so 0 seems right. But the "
            "tape only records the additions, not the condition.",
            "2.0": "900, 950, 1000: the loop runs twice and adds `deposit` each time. The tape "
            "recorded these two additions, and it knows nothing about the condition.",
        },
    ),
    Variant(
        id="05.2",
        section="When does Python run?",
        program="""
runs = []


@tf.function
def shift(values, by):
    runs.append(by)
    return values + by


for by in (1.0, 2.0, 2.0):
    shift(tf.constant([1.0, 2.0]), by)
    shift(tf.constant([5.0, 6.0]), by)

print(len(runs))
""",
        right="2",
        options={
            "1": "For a tensor only its shape and dtype matter. But each value of a Python "
            "number needs a trace, and there are two values.",
            "2": "The tensors have the same shape and dtype. The two values of the Python "
            "number need two traces.",
            "6": "There are six calls. But a graph is reused, and tensors of the same shape "
            "and dtype need no new one.",
            "3": "The loop runs three times. But the third value equals the second, which "
            "already has a graph.",
        },
    ),
    Variant(
        id="05.2",
        section="When does Python run?",
        program="""
runs = []


@tf.function
def scale(values, factor):
    runs.append(1)
    return factor * values


for size in (2, 3, 2):
    scale(tf.zeros(size), tf.constant(float(size)))

print(len(runs))
""",
        right="2",
        options={
            "3": "There are three calls. But the third has the same shapes as the first, and "
            "reuses its graph.",
            "1": "All tensors have the same dtype. But each shape needs a trace, and there are "
            "two shapes.",
            "2": "There are two shapes. The factor is a tensor, so its value does not matter.",
        },
    ),
)
