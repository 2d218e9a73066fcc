"""The predictions and values of lesson 03 with other numbers, for when they come back."""

from course_utils.exercises import Variant

VARIANTS = (
    Variant(
        id="03.a",
        section="What if it is zero or NaN?",
        program="""
def slope(f, x):
    x = tf.Variable(x)
    with tf.GradientTape() as tape:
        y = f(x)
    return tape.gradient(y, x)

functions = tf.floor, tf.nn.relu, lambda x: tf.sqrt(x**2)
print(*[f"{slope(f, 0.0)}" for f in functions])
""",
        right="None 0.0 nan",
        options={
            "0.0 0.0 nan": "`floor` is flat between its steps, so 0 would be reasonable. But "
            "TensorFlow defines no gradient for it.",
            "None 0.0 nan": "`floor` has no gradient in TensorFlow, and the gradient of `relu` "
            "at 0 is defined as 0. The slope of the root is infinite at 0 and that of the "
            "square is 0, and 0 · ∞ is NaN.",
            "None nan 0.0": "`relu` has a corner at 0, and so has √x² = |x|. But TensorFlow "
            "defines the gradient of `relu` there as 0, while the tape goes through the "
            "root and the square one at a time.",
        },
    ),
    Variant(
        id="03.a",
        section="What if it is zero or NaN?",
        program="""
def slope(f, x):
    x = tf.Variable(x)
    with tf.GradientTape() as tape:
        y = f(x)
    return tape.gradient(y, x)

functions = tf.round, lambda x: tf.sqrt(x**2), tf.sign
print(*[f"{slope(f, -2.0)}" for f in functions])
""",
        right="None -1.0 0.0",
        options={
            "None nan 0.0": "NaN comes up at 0, where 0 meets the infinite slope of the root. "
            "But at -2 the root of 4 has a finite slope.",
            "0.0 -1.0 None": "Both `round` and `sign` are staircases, so it is easy to swap "
            "them. TensorFlow defines a gradient of 0 for `sign`, but none for `round`.",
            "None -1.0 0.0": "`round` has no gradient, and that of `sign` is defined as 0. "
            "Away from 0, the root of the square has the slope of |x|, which is -1 at -2.",
        },
    ),
    Variant(
        id="03.b",
        section="The name now refers to a new tensor (`rebound-source`)",
        program="""
weight = tf.Variable(8.0)
weight = 0.5 * weight  # decay

with tf.GradientTape() as tape:
    loss = weight**2

print(f"{tape.gradient(loss, weight)}")
""",
        right="None",
        options={
            "None": "`=` bound the name `weight` to a new tensor, the product, and the tape "
            "does not watch it. `weight.assign(0.5 * weight)` would have kept the "
            "variable.",
            "8.0": "8 is the mathematically correct slope, 2 · 4. But `weight` is no longer a "
            "variable.",
            "16.0": "16 would be right if `weight` were still the variable with the value 8. "
            "But the second line bound the name to a new tensor.",
        },
    ),
    Variant(
        id="03.b",
        section="The name now refers to a new tensor (`rebound-source`)",
        program="""
length = tf.Variable(200.0)  # cm

with tf.GradientTape() as tape:
    length = length / 100  # m
    area = length**2

print(f"{tape.gradient(area, length)}")
""",
        right="4.0",
        options={
            "0.04": "0.04 is the slope with respect to the variable, per centimeter: 4 / 100. "
            "But the name `length` now refers to another tensor.",
            "4.0": "The last line asks for the gradient with respect to what `length` refers "
            "to by then: the quotient, 2 m, with the slope 2 · 2. It was computed inside "
            "the block, so the tape recorded it.",
            "None": "You get `None` if the new tensor is computed above the block. But here it "
            "is computed inside the block from a variable, so the tape recorded it.",
        },
    ),
    Variant(
        id="03.c",
        section="The operation has no gradient (`no-gradient-op`)",
        program="""
hours = tf.Variable(2.5)

with tf.GradientTape() as tape:
    # 4 for each hour begun, and 1.5 for each hour
    fee = 4.0 * tf.math.ceil(hours) + 1.5 * hours

print(f"{tape.gradient(fee, hours)}")
""",
        right="1.5",
        options={
            "None": "`ceil` has no gradient. But the second term has one, which is enough to "
            "get a number.",
            "5.5": "5.5 would be right if `ceil` passed the gradient back unchanged. But that "
            "path is broken.",
            "4.0": "4 is the factor of `ceil`. But the path through `ceil` is broken, and the "
            "other term is left.",
            "1.5": "Two paths lead from `hours` to `fee`. The one through `ceil` is broken; "
            "the other contributes 1.5. A number does not prove that every path is there.",
        },
    ),
    Variant(
        id="03.c",
        section="The operation has no gradient (`no-gradient-op`)",
        program="""
kilos = tf.Variable(2.5)

with tf.GradientTape() as tape:
    # the price of a kilo rises with each one begun
    cost = kilos * tf.math.ceil(kilos)

print(f"{tape.gradient(cost, kilos)}")
""",
        right="3.0",
        options={
            "5.5": "The product rule gives two parts: 3, and 2.5 times the slope of `ceil`. "
            "But `ceil` has no gradient, so the second part is missing.",
            "3.0": "The tape treats the factor `ceil(2.5)` as the constant 3, and the other "
            "factor has a path.",
            "None": "You get `None` if `ceil` is on the only path. But here `kilos` is also a "
            "factor.",
            "5.0": "5 is the derivative of kilos², without the rounding. But `ceil` makes one "
            "of the factors a constant.",
        },
    ),
    Variant(
        id="03.d",
        section="Can I stop or replace a gradient on purpose?",
        program="""
value = tf.Variable(3.0)

with tf.GradientTape() as tape:
    target = tf.stop_gradient(1.0 + 0.5 * value)  # 2.5
    loss = (target - value) ** 2

print(f"{tape.gradient(loss, value)}")
""",
        right="1.0",
        options={
            "0.5": "0.5 would be right if `target` changed with `value`, half as fast. But "
            "`tf.stop_gradient` makes it a constant.",
            "None": "The path through `target` is stopped. But `value` is also in the loss "
            "directly, and that path is still there.",
            "1.0": "The tape treats `target` as the constant 2.5, so the slope is 2 · (3 - 2.5).",
            "0.0": "`tf.stop_gradient` does not make the whole gradient 0. It stops one path, "
            "and `value` has another.",
        },
    ),
    Variant(
        id="03.d",
        section="Can I stop or replace a gradient on purpose?",
        program="""
load = tf.Variable(4.0)

with tf.GradientTape() as tape:
    share = load / tf.stop_gradient(load)

print(f"{tape.gradient(share, load)}")
""",
        right="0.25",
        options={
            "0.25": "The tape treats the denominator as the constant 4, and load / 4 has the "
            "slope 1/4. The value is still 1.",
            "0.0": "A number divided by itself is always 1, so the curve is flat. But to the "
            "tape the denominator is a constant.",
            "None": "The path through the denominator is stopped. But the path through the "
            "numerator is still there.",
        },
    ),
    Variant(
        id="03.e",
        section="What if it is zero or NaN?",
        program="""
shares = tf.Variable([0.0, 1.0])

with tf.GradientTape() as tape:
    terms = tf.where(shares > 0, shares * tf.math.log(shares), 0.0)
    entropy = -tf.reduce_sum(terms)

print(f"{tape.gradient(entropy, shares)}")
""",
        right="[nan -1.]",
        options={
            "[nan -1.]": "The logarithm of 0 and its slope are infinite. `where` sends that "
            "branch the gradient 0, and 0 · ∞ is NaN, but only for this share.",
            "[0. -1.]": "`where` chose the constant 0 for the first share. But the backward "
            "pass also goes through the other branch.",
            "[nan nan]": "A NaN spreads when numbers are added. But each share has its own "
            "logarithm, and the logarithm of 1 is harmless.",
        },
    ),
    Variant(
        id="03.e",
        section="What if it is zero or NaN?",
        program="""
share = tf.Variable(0.0)

with tf.GradientTape() as tape:
    safe = tf.where(share > 0, share, 1.0)
    surprise = tf.where(share > 0, -tf.math.log(safe), 0.0)

print(f"{tape.gradient(surprise, share)}")
""",
        right="0.0",
        options={
            "nan": "It would be NaN with the logarithm of `share` itself. But here the "
            "logarithm never gets the 0.",
            "-1.0": "The slope of -log at 1 is -1, and `safe` is 1. But this branch gets the "
            "gradient 0 from the last `where`.",
            "None": "At 0 both `where`s choose a constant, so it looks as if no path is left. "
            "But both have a path from `share`; the product of the slopes is 0.",
            "0.0": "The logarithm gets a 1 in place of the 0, so its slope is finite, and 0 "
            "times a finite number is 0.",
        },
    ),
    Variant(
        id="03.2",
        section="The operation has no gradient (`no-gradient-op`)",
        program="""
height = tf.Variable(1.6)

with tf.GradientTape() as tape:
    level = tf.floor(height) + 2 * height

print(float(tape.gradient(level, height)))
""",
        right="2.0",
        options={
            "None": "`floor` has no gradient, so that path is broken. But `height` has another "
            "path, and it is enough to get a number.",
            "2.0": "The path through `floor` contributes nothing, and the other term "
            "contributes 2.",
            "3.0": "3 would be right if `floor` had the slope 1. But it is flat between its "
            "steps, and TensorFlow defines no gradient for it.",
        },
    ),
    Variant(
        id="03.2",
        section="The operation has no gradient (`no-gradient-op`)",
        program="""
gain = tf.Variable(3.0)

with tf.GradientTape() as tape:
    clipped = tf.clip_by_value(gain, 0.0, 2.0)

print(float(tape.gradient(clipped, gain)))
""",
        right="0.0",
        options={
            "a TypeError": "`float(None)` raises a `TypeError`. But a clip has a gradient, and "
            "outside its limits that gradient is 0.",
            "0.0": "Beyond its limit the clip is flat. There is a path, and its slope is 0.",
            "1.0": "Between the limits the slope is 1. But at 3 the value stays at 2, whatever "
            "`gain` does.",
            "2.0": "2 is the value of the clip. But the question is its slope, and beyond the "
            "limit the clip is flat.",
        },
    ),
)
