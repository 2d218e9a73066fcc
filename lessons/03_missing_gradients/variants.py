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
            "0.0 0.0 nan": "`floor` is flat between its steps, and 0 would be a fair answer. But "
            "TensorFlow has no gradient for it.",
            "None 0.0 nan": "`floor` has no gradient in TensorFlow. For `relu` at 0 the rule says 0. "
            "The root's slope is infinite at 0, that of the square is 0, and 0 · ∞ is NaN.",
            "None nan 0.0": "`relu` has a corner at 0, and so has √x² = |x|. But for `relu` there is "
            "a rule that says 0, while the tape goes through the root and the square one by one.",
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
            "None nan 0.0": "NaN is what the root gives at 0, where 0 meets an infinite slope. At -2 "
            "the root of 4 has a finite one.",
            "0.0 -1.0 None": "Both `round` and `sign` are staircases, and it is a matter of "
            "TensorFlow's list: `sign` has a rule, and `round` has none.",
            "None -1.0 0.0": "`round` has no gradient, and the rule of `sign` says 0. Away from 0 the "
            "root of the square has the slope of |x|: -1 at -2.",
        },
    ),
    Variant(
        id="03.b",
        section="The name means a new tensor (`rebound-source`)",
        program="""
weight = tf.Variable(8.0)
weight = 0.5 * weight  # decay

with tf.GradientTape() as tape:
    loss = weight**2

print(f"{tape.gradient(loss, weight)}")
""",
        right="None",
        options={
            "None": "`=` gave the name `weight` to a new tensor, the product, and nothing watches it. "
            "`weight.assign(0.5 * weight)` would have kept the variable.",
            "8.0": "It is the slope 2 · 4 of the loss, the truth. But `weight` is no variable any "
            "more.",
            "16.0": "So it would be if `weight` were still the variable with its 8.",
        },
    ),
    Variant(
        id="03.b",
        section="The name means a new tensor (`rebound-source`)",
        program="""
length = tf.Variable(200.0)  # cm

with tf.GradientTape() as tape:
    length = length / 100  # m
    area = length**2

print(f"{tape.gradient(area, length)}")
""",
        right="4.0",
        options={
            "0.04": "It is the slope in the variable, per centimetre: 4 / 100. But the name `length` "
            "means another tensor now.",
            "4.0": "The last line asks about what `length` is by then: the quotient, 2 m, with the "
            "slope 2 · 2. It was computed in the block, so the tape knows it. The variable's own "
            "slope is 0.04.",
            "None": "It comes when the new tensor is made above the block. Here it is made inside, "
            "from a variable, and is watched.",
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
            "None": "`ceil` has no gradient. But the second term has one, and it is enough for a "
            "number.",
            "5.5": "So it would be if `ceil` let everything pass, as if it were not there.",
            "4.0": "It is the factor of `ceil`, and that path ends there.",
            "1.5": "Two paths lead to `hours`. The one through `ceil` ends, and the other brings 1.5. "
            "That it is a number does not say that all paths are there.",
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
            "5.5": "A product has two parts, 3 and 2.5 times the slope of `ceil`. But `ceil` brings "
            "none.",
            "3.0": "The factor `ceil(2.5)` counts as a constant 3, and the other factor has a path.",
            "None": "It would come if `ceil` stood in the only path. Here `kilos` is also a factor "
            "itself.",
            "5.0": "It is the slope of kilos², without the rounding.",
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
            "0.5": "It is the slope if `target` moves along, half as fast as `value`. But it is held "
            "fixed.",
            "None": "One path is closed, the one through `target`. `value` stands in the loss itself.",
            "1.0": "`target` counts as the constant 2.5, and the slope is 2 · (3 - 2.5).",
            "0.0": "`stop_gradient` brings no 0: it closes one path, and `value` has another.",
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
            "0.25": "The denominator counts as a constant 4, and load / 4 has the slope 1/4. The "
            "value is 1 all the same.",
            "0.0": "A number divided by itself is 1, a flat curve. But for the tape the denominator "
            "does not move.",
            "None": "The path through the denominator is closed. The numerator has its own.",
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
            "[nan -1.]": "The logarithm of 0 and its slope are infinite. `where` sends that branch the "
            "gradient 0, and 0 · ∞ is NaN, for this share alone.",
            "[0. -1.]": "`where` chose the constant 0 for the first share. But the tape goes back "
            "through the other branch as well.",
            "[nan nan]": "A NaN spreads where numbers are added. But each share has its own "
            "logarithm, and that of 1 is harmless.",
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
            "nan": "It would be with the logarithm of `share` itself. Here the logarithm never sees "
            "the 0.",
            "-1.0": "The slope of -log at 1 is -1, and `safe` is 1. But this branch gets the gradient "
            "0 from the last `where`.",
            "None": "Both `where`s have a path to `share`, and its slopes come to 0.",
            "0.0": "The logarithm gets a 1 in place of the 0, so its slope is finite, and 0 times it "
            "is 0.",
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
            "None": "`floor` gives nothing, but there is another way to the source, and that one counts.",
            "2.0": "Nothing comes through `floor`, and 2 through the other term.",
            "3.0": "`floor` passes no slope of 1 on: it is flat between its steps, and has no gradient.",
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
            "a TypeError": "It would come of a None. A clip has a gradient, and beyond its limits that is 0.",
            "0.0": "Beyond the limit the clip is flat. There is a path, with the slope 0.",
            "1.0": "Between the limits it would be 1. At 3 the value is held at 2, whatever `gain` does.",
            "2.0": "That is the value. Its slope, beyond the limit, is another number.",
        },
    ),
)
