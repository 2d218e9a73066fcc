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
            "0.0": "A higher bonus changes nothing at 38 hours, and that is what 0 says. But to say "
            "it, a tape needs a path.",
            "None": "Python took the branch without `bonus`, so no operation read it. The tape never "
            "sees the `if`.",
            "-2.0": "It is the factor hours - 40, of the branch that did not run.",
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
            "0.0": "There is no `if`: the product with `bonus` is computed, and its other factor is 0. "
            "There is a path, with this slope.",
            "None": "So it would be if an `if` had left the product out. Here the tape recorded it, "
            "and a product with 0 is a path.",
            "-2.0": "The factor would be hours - 40 = -2, but `maximum` made it 0.",
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
            "1": "So it would be with tensors, which count by shape and dtype. These are Python "
            "numbers, and each value has a graph of its own.",
            "3": "A Python number counts by its value, and is built into the graph. 1.0, 2.0 and 3.0 "
            "make a trace each, and the second 2.0 finds its graph.",
            "4": "Four calls, but the two with 2.0 share a trace.",
        },
        otherwise="Python runs once for each trace, and a Python number counts by its value. How many "
        "values are there?",
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
            "1": "All are tensors of `float32`. But a tensor counts by its shape, too, and there are "
            "two shapes.",
            "2": "One trace for the shape (1,) and one for (2,). The last call finds the graph of the "
            "first.",
            "3": "The shape changes twice on the way, and then comes back. But a graph is kept, and "
            "the last call finds that of the first.",
            "5": "Five calls with five different tensors. But the values of a tensor do not count.",
        },
        otherwise="Python runs once for each trace, and a tensor counts by its shape and dtype. How "
        "many shapes are there?",
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
            "None": "It is the answer without `tf.function`, where the tape records only the branch that "
            "runs.",
            "4.0": "It is the slope of the branch that is not taken. The graph holds it, and does not "
            "run it.",
            "0.0": "The condition is a tensor, so the graph holds both branches in one operation, and "
            "`fee` goes into it: a path, with the slope 0.",
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
            "None": "Python decides about its own False while tracing, and only one branch comes into "
            "the graph. In that one nothing reads `fee`.",
            "0.0": "So it would be if `is_far` were a tensor, which the graph decides. This is a Python "
            "bool.",
            "4.0": "It is the slope of the other branch, which is not even in the graph.",
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
            "58.0": "It is the truth, 56 from the loop and 2 from the last term. But the loop over a "
            "dataset has no gradient in a graph.",
            "None": "The loop's part is lost. The last term has a path of its own.",
            "56.0": "It is the loop's part alone: the one that is lost.",
            "2.0": "Only the last term, 0.5 · w², brings its slope. The loop's 56 are missing, and no "
            "None tells you.",
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
            "None": "So it would be if `lengths` were a dataset. It is a tensor, and the graph has a "
            "while loop.",
            "56.0": "A loop over a tensor becomes a while loop of the graph, which has its gradient: "
            "2 · 2 · (1 + 4 + 9). A dataset in its place would give None.",
            "36.0": "It is the part of the last pass, 2 · 2 · 3². The tape goes back through all "
            "three.",
            "0.0": "0 is what a graph says of a branch not taken. This loop runs.",
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
            "1.0": "It is the slope of one pass. But there is none: 1200 is above the goal already.",
            "None": "The loop made no pass, so `balance` is the constant of the second line: no path.",
            "0.0": "The balance would not move with the deposit, and 0 says that. But for a 0 the tape "
            "needs a path.",
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
            "None": "So it would be if the loop made no pass. It makes two.",
            "1.0": "Each pass has the slope 1. But there are two of them, and their parts add up.",
            "0.0": "The loop ends at 1000, whatever the deposit, one might say. But the tape does not "
            "know the goal: it goes back through the additions.",
            "2.0": "900, 950, 1000: two passes, and each added `deposit` once. The tape holds the "
            "passes that ran, and knows nothing of the condition.",
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
            "1": "A tensor counts by its shape and dtype. A Python number counts by its value, and here are two.",
            "2": "The tensors are alike. Two values of the Python number make two traces.",
            "6": "A graph that exists is used again: tensors of the same shape make no new one.",
            "3": "The third value is the second once more, for which there is a graph.",
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
            "3": "The third call has the shapes of the first, and uses its graph.",
            "1": "A tensor counts by its shape, and there are two of them.",
            "2": "Two shapes. The factor is a tensor, and its value does not count.",
        },
    ),
)
