"""The predictions and values of lesson 07 with other numbers, for when they come back."""

from course_utils.exercises import Variant

VARIANTS = (
    Variant(
        id="07.a",
        section="How good is a difference?",
        question="Which step is the most accurate?",
        program="""
def error(h):
    x = tf.constant(1.0)  # float32
    slope = (tf.exp(x + h) - tf.exp(x)) / h
    return abs(slope.numpy() - math.e)

print(min((1e-1, 1e-3, 1e-6), key=error))
""",
        right="1e-3",
        options={
            "1e-6": "In float64 it would do well, with an `eps` of 2e-16. In float32 each value is "
            "rounded at 1e-7, and divided by 1e-6 that is an error of a tenth.",
            "1e-1": "Its values differ most, so rounding hardly counts. But the truncation error, "
            "about h/2 · e, is 0.14.",
            "1e-3": "Truncation falls with h, and the rounding of the values, divided by h, grows. In "
            "float32 they meet near the root of 1e-7, at 3e-4, and 1e-3 is the nearest.",
        },
    ),
    Variant(
        id="07.a",
        section="How good is a difference?",
        question="Which step is the most accurate?",
        program="""
def error(h):
    x = tf.constant(1.0, tf.float64)
    slope = (tf.exp(x + h) - tf.exp(x - h)) / (2 * h)
    return abs(slope.numpy() - math.e)

print(min((1e-2, 1e-5, 1e-8), key=error))
""",
        right="1e-5",
        options={
            "1e-5": "The truncation error of a central difference falls with h², so it is small "
            "already at a longer step: near `eps` to the power of 1/3, 6e-6.",
            "1e-8": "1e-8 is the step for a forward difference. The truncation error of a central one is "
            "small at a longer step already, and there rounding counts less.",
            "1e-2": "Rounding does not count here. But the truncation error, about h²/6 · e, is 5e-5.",
        },
    ),
    Variant(
        id="07.b",
        section="Which step is best?",
        program="""
def energy(speed):
    return speed**2

speed, h = tf.constant(1e6), 0.01  # float32
slope = (energy(speed + h) - energy(speed - h)) / (2 * h)

print(f"{slope}")
""",
        right="0.0",
        options={
            "2000000.0": "2000000 is the truth, 2 · 1e6. The formula is exact for a square, and only the "
            "numbers are not.",
            "20000.0": "A wrong factor is what one expects of a bad step. This one does not even move the "
            "speed.",
            "0.0": "Around a million float32 numbers are 1/16 apart. Both speeds round to the same "
            "number, and so nothing is left of the difference.",
        },
    ),
    Variant(
        id="07.b",
        section="Which step is best?",
        program="""
balance = tf.Variable(1_000_000.0)  # float32

for _ in range(1000):
    balance.assign_add(0.01)

print(f"{balance.numpy():.0f}")
""",
        right="1000000",
        options={
            "1000000": "Around a million float32 numbers are 1/16 apart, so a sum with 0.01 rounds "
            "back to what it was, a thousand times.",
            "1000010": "A thousand times 0.01 is 10. But each sum is rounded before the next.",
            "1000009": "Rounding loses a little, one might say. Here it loses every single step.",
        },
    ),
    Variant(
        id="07.d",
        section="Where should I check?",
        program="""
def leaky(x):
    return tf.maximum(x, 0.2 * x)  # slope 0.2 left of 0, 1 right of it

h = 0.25
slope = (leaky(tf.constant(h)) - leaky(tf.constant(-h))) / (2 * h)

print(f"{slope:.1f}")
""",
        right="0.6",
        options={
            "0.2": "0.2 is the slope on the left.",
            "0.5": "So it is for a plain relu, whose slopes are 0 and 1. Here they are 0.2 and 1.",
            "1.0": "1 is the slope on the right, which a forward difference gives.",
            "0.6": "0.6 is the mean of both sides, (0.2 + 1) / 2.",
        },
    ),
    Variant(
        id="07.d",
        section="Where should I check?",
        program="""
def shortage(stock):
    return tf.nn.relu(8.0 - stock)

stock, h = tf.constant(8.0), 0.5
slope = (shortage(stock + h) - shortage(stock)) / h

print(f"{slope}")
""",
        right="0.0",
        options={
            "-0.5": "-0.5 is the mean of both sides, and a central difference gives it. This one steps "
            "to the right alone.",
            "-1.0": "-1 is the slope on the left, below 8.",
            "0.0": "A forward difference looks at the right side, and above 8 nothing is short.",
        },
    ),
    Variant(
        id="07.e",
        section="How do I write a gradient and trust it?",
        program="""
x = tf.Variable(0.0)

with tf.GradientTape() as tape:
    # gains and losses: together they are x
    y = tf.maximum(x, 0.0) + tf.minimum(x, 0.0)

print(f"{tape.gradient(y, x)}")
""",
        right="2.0",
        options={
            "1.0": "1 is the truth, as the sum is x, a straight line. But the tape differentiates the "
            "parts.",
            "2.0": "Each part has a corner at 0. There `maximum` and `minimum` both let everything "
            "pass to x: 1 + 1.",
            "0.0": "0 is a usual convention at a corner, and `relu` has it. `maximum` and `minimum` "
            "have another.",
        },
    ),
    Variant(
        id="07.e",
        section="How do I write a gradient and trust it?",
        program="""
x = tf.Variable(0.0)

with tf.GradientTape() as tape:
    y = tf.nn.relu(x) - tf.nn.relu(-x)  # which is x

print(f"{tape.gradient(y, x)}")
""",
        right="0.0",
        options={
            "0.0": "The rule of `relu` says 0 at its corner, and both parts are there: 0 + 0. The "
            "whole is a straight line, but the tape does not see the whole.",
            "1.0": "1 is the truth, and what the tape finds anywhere else. At 0 both parts have their "
            "corner.",
            "2.0": "So it would be if each part brought the slope of its steep side.",
        },
    ),
    Variant(
        id="07.f",
        section="How do I write a gradient and trust it?",
        program="""
@tf.custom_gradient
def cube(x):
    slope = 3 * x**2
    return x**3, lambda upstream: upstream * slope

x = tf.Variable(2.0)
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        y = cube(x)
    slope = inner.gradient(y, x)

print(f"{outer.gradient(slope, x)}")
""",
        right="12.0",
        options={
            "None": "So it would be if the slope came from NumPy. Here TensorFlow computes it, from "
            "x on.",
            "12.0": "The outer tape goes back through 3x², as TensorFlow computed it: 6 · 2.",
            "0.0": "A constant slope would bring 0. But this one was computed from x, and keeps its "
            "path.",
        },
    ),
    Variant(
        id="07.f",
        section="How do I write a gradient and trust it?",
        program="""
@tf.custom_gradient
def cube(x):
    slope = 3 * np.square(x)
    return x**3, lambda upstream: upstream * slope

x = tf.Variable(2.0)
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        y = x * cube(x)  # which is x**4
    slope = inner.gradient(y, x)

print(f"{outer.gradient(slope, x)}")
""",
        right="24.0",
        options={
            "24.0": "The first slope is cube(x) + x · 12. The tape knows that both x and cube(x) move: "
            "12 + 12. That the 12 from NumPy moves as well, it does not know.",
            "48.0": "48 is the truth, 12x² at 2. But one part of it would have to come through "
            "NumPy.",
            "None": "For `cube` alone it would be. The factor x has paths of its own.",
        },
    ),
    Variant(
        id="07.1",
        section="Which step is best?",
        program="""
def error(h):
    x = tf.constant(1.0, tf.float64)
    central = (tf.exp(x + h) - tf.exp(x - h)) / (2 * h)
    return abs(float(central) - float(tf.exp(x)))


print(f"{error(0.1) / error(0.01):.0f}")
""",
        question="How many times smaller is the error with the shorter step?",
        right="100",
        options={
            "10": "That is a forward difference, of order 1. A central one has order 2.",
            "100": "The order is 2: a step ten times as short leaves a hundredth of the error.",
            "1000": "The error falls with the square of the step, not with its third power.",
        },
    ),
    Variant(
        id="07.1",
        section="Which step is best?",
        program="""
def error(h):
    x = tf.constant(1.0, tf.float64)
    forward = (tf.sin(x + h) - tf.sin(x)) / h
    return abs(float(forward) - float(tf.cos(x)))


print(f"{error(0.04) / error(0.01):.0f}")
""",
        question="How many times smaller is the error with the shorter step?",
        right="4",
        options={
            "16": "That is a central difference, of order 2. This one looks to one side alone.",
            "2": "The error of a forward difference falls as the step does, which is a quarter.",
            "4": "A forward difference has order 1: a quarter of the step leaves a quarter of the error.",
        },
    ),
)
