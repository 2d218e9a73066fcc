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
            "1e-6": "In float64, 1e-6 would be a good step. But in float32 each value has a "
            "rounding error of about 1e-7. Divided by 1e-6, that is an error of a tenth.",
            "1e-1": "With 1e-1 the two values differ most, so rounding hardly matters. But the "
            "truncation error, about h/2 · e, is 0.14.",
            "1e-3": "The truncation error shrinks with h, while the rounding error, divided by "
            "h, grows. In float32 they are equal near the square root of 1e-7, about 3e-4, "
            "and 1e-3 is closest to that.",
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
            "1e-5": "The truncation error of a central difference shrinks with h², so it is "
            "small even for a longer step. The best step is near `eps` to the power of "
            "1/3, 6e-6.",
            "1e-8": "1e-8 is the best step for a forward difference. But the truncation error "
            "of a central difference is small even for a longer step, where rounding "
            "matters less.",
            "1e-2": "With 1e-2 rounding does not matter. But the truncation error, about h²/6 "
            "· e, is 5e-5.",
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
            "2000000.0": "2000000 is the correct slope, 2 · 1e6, and the formula is exact for "
            "a square. But the float32 numbers are rounded.",
            "20000.0": "A wrong factor is what one expects from a bad step. But this step does "
            "not even change the speed.",
            "0.0": "Around a million, float32 numbers are 1/16 apart. Both speeds round to the "
            "same number, so their difference is 0.",
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
            "1000000": "Around a million, float32 numbers are 1/16 apart. Adding 0.01 rounds "
            "back to the old value, a thousand times.",
            "1000010": "A thousand times 0.01 is 10. But each sum is rounded before the next "
            "addition.",
            "1000009": "Rounding loses a little, so a slightly smaller number seems plausible. "
            "But here it loses every single addition.",
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
            "0.2": "0.2 is the slope on the left. But a central difference uses both sides.",
            "0.5": "0.5 is right for a plain ReLU, whose slopes are 0 and 1. But here the "
            "slopes are 0.2 and 1.",
            "1.0": "1 is the slope on the right, and a forward difference returns it. But a "
            "central difference uses both sides.",
            "0.6": "0.6 is the average of the slopes on both sides, (0.2 + 1) / 2.",
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
            "-0.5": "-0.5 is the average of the slopes on both sides, and a central difference "
            "returns it. But this one steps only to the right.",
            "-1.0": "-1 is the slope on the left, below 8. But a forward difference steps to "
            "the right.",
            "0.0": "A forward difference uses only the right side, and above 8 the shortage "
            "stays 0.",
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
            "1.0": "1 is the correct slope, because the sum is x. But the tape differentiates "
            "the parts one at a time.",
            "2.0": "Each part has a corner at 0. There TensorFlow's `maximum` and `minimum` "
            "both pass the whole gradient back to x: 1 + 1.",
            "0.0": "0 is a common convention at a corner, and `relu` follows it. But `maximum` "
            "and `minimum` use another.",
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
            "0.0": "TensorFlow defines the gradient of `relu` at its corner as 0, and both "
            "parts are at the corner: 0 + 0. The sum is a straight line, but the tape sees "
            "only the parts.",
            "1.0": "1 is the correct slope, and the tape returns it anywhere else. But at 0 "
            "both parts are at their corner.",
            "2.0": "2 would be right if each part contributed the slope of its steep side. But "
            "`relu` uses another convention at its corner.",
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
            "None": "You would get `None` if the slope came from NumPy. But here TensorFlow "
            "computes it from x.",
            "12.0": "The outer tape differentiates 3x², as TensorFlow computed it: 6 · 2.",
            "0.0": "A constant slope would have the derivative 0. But this slope was computed "
            "from x and has a path.",
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
            "24.0": "The first slope is cube(x) + x · 12. The tape knows that x and cube(x) "
            "change, which gives 12 + 12; it does not know that the 12 from NumPy also "
            "changes.",
            "48.0": "48 is the correct second derivative, 12x² at 2. But one part of it would "
            "have to go through NumPy.",
            "None": "You would get `None` for `cube` only. But here the factor x has other paths.",
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
            "10": "10 would be right for a forward difference, of order 1. But a central "
            "difference is of order 2.",
            "100": "The order is 2, so a step ten times shorter makes the error a hundred "
            "times smaller.",
            "1000": "1000 would be the third power of the factor. But the error shrinks with "
            "the square of the step.",
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
            "16": "16 would be right for a central difference, of order 2. But this one steps "
            "to only one side.",
            "2": "2 would be right for half the step. But the step is a quarter, and the error "
            "of a forward difference shrinks as the step does.",
            "4": "A forward difference is of order 1, so a step four times shorter makes the "
            "error four times smaller.",
        },
    ),
)
