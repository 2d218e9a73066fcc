"""The predictions and values of lesson 08 with other numbers, for when they come back."""

from course_utils.exercises import Variant

VARIANTS = (
    Variant(
        id="08.c",
        section="How large can the learning rate be?",
        program="""
def distance_left(lr):
    x = tf.Variable(0.0)
    for _ in range(100):
        with tf.GradientTape() as tape:
            loss = 5 * (x - 3) ** 2
        x.assign_sub(lr * tape.gradient(loss, x))
    return abs(x.numpy() - 3)

print("near" if distance_left(0.19) < 0.01 else "far")
""",
        question="Does it get close to the minimum?",
        right="near",
        options={
            "far": "Each step jumps over the minimum, which looks like a failure. But it lands "
            "closer than it started.",
            "near": "The curvature is 10, so each step multiplies the distance by 1 - 0.19 · "
            "10 = -0.9: to the other side, and a tenth closer. Only below -1 would it get "
            "worse.",
            "an error": "A step that is too large leads to huge or infinite numbers, but not "
            "to an error. This one is not too large.",
        },
    ),
    Variant(
        id="08.c",
        section="How large can the learning rate be?",
        program="""
def loss_after_100(lr):
    x = tf.Variable(4.0)
    for _ in range(100):
        with tf.GradientTape() as tape:
            loss = 2 * (x - 3) ** 2
        x.assign_sub(lr * tape.gradient(loss, x))
    return loss.numpy()

print(*[loss_after_100(lr) < 0.001 for lr in (0.3, 0.45, 0.6)])
""",
        question="Is the loss below 0.001, for each step size?",
        right="True True False",
        options={
            "True True True": "Larger steps are faster, up to a limit. But the curvature is 4, "
            "so the limit is 2/4.",
            "True False False": "With 0.45 each step jumps past the minimum: the distance is "
            "multiplied by 1 - 0.45 · 4 = -0.8. But that still brings it closer.",
            "False False True": "100 tiny steps would be few. But these are not tiny: even 0.3 "
            "has the factor -0.2.",
            "True True False": "The curvature is 4, and the limit is 2/4. With 0.6 the factor "
            "is 1 - 0.6 · 4 = -1.4, so the loss explodes.",
        },
    ),
    Variant(
        id="08.d",
        section="Why standardize the input?",
        program="""
x, steps = tf.Variable(11.0), 0

while abs(x.numpy() - 3) > 1e-3:
    with tf.GradientTape() as tape:
        loss = (x - 3) ** 2
    x.assign_sub(0.25 * tape.gradient(loss, x))
    steps += 1

print(steps)
""",
        right="13",
        options={
            "1": "1 would be right for the step size 0.5, with which 1 - lr · λ is 0. But here "
            "the factor is 1 - 0.25 · 2.",
            "2": "Half the step size suggests twice the steps. But each step halves the "
            "remaining distance, and half of a half is not 0.",
            "13": "Each step multiplies the distance by 1 - 0.25 · 2 = 0.5. From 8 it takes 13 "
            "halvings to get below 0.001.",
            "8000": "8000 steps of 0.001 make 8. But the size of a step depends on the slope.",
        },
    ),
    Variant(
        id="08.d",
        section="Why standardize the input?",
        program="""
curvature = tf.constant([2.0, 8.0])
x = tf.Variable([4.0, 4.0])  # the minimum is at 0

with tf.GradientTape() as tape:
    loss = tf.reduce_sum(curvature / 2 * x**2)
x.assign_sub(0.125 * tape.gradient(loss, x))

print(x.numpy())
""",
        right="[3. 0.]",
        options={
            "[0. 0.]": "0.125 is 1/8, and along one direction that step reaches the minimum at "
            "once. But the other direction has the curvature 2.",
            "[0. 3.]": "The flat direction might seem the easy one. But its slope is small, "
            "and so is its step.",
            "[3. 3.]": "[3. 3.] would be right if both curvatures were 2. But the second one is 8.",
            "[3. 0.]": "Each direction has its own factor 1 - lr · λ: 0.75 for the curvature "
            "2, and 0 for 8. One step size fits only one of them.",
        },
    ),
    Variant(
        id="08.2",
        section="How large can the learning rate be?",
        program="""
weight = tf.Variable(1.0)

for _ in range(50):
    with tf.GradientTape() as tape:
        loss = 4 * weight**2
    weight.assign_sub(0.2 * tape.gradient(loss, weight))

print("nearer to 0" if abs(weight) < 1 else "farther from 0")
""",
        question="Where is the weight after 50 steps?",
        right="nearer to 0",
        options={
            "nearer to 0": "The curvature is 8, so the limit is 2 / 8 = 0.25, and 0.2 is below it.",
            "farther from 0": "Each step does jump over the minimum. But the curvature of 4w² "
            "is 8, so step sizes up to 2 / 8 = 0.25 converge.",
        },
    ),
    Variant(
        id="08.2",
        section="How large can the learning rate be?",
        program="""
weight = tf.Variable(1.0)

for _ in range(50):
    with tf.GradientTape() as tape:
        loss = 5 * (weight - 2) ** 2
    weight.assign_sub(0.21 * tape.gradient(loss, weight))

print("nearer to 2" if abs(weight - 2) < 1 else "farther from 2")
""",
        question="Where is the weight after 50 steps?",
        right="farther from 2",
        options={
            "nearer to 2": "A step size of 0.21 seems small. But the curvature is 10, so the "
            "limit is 2 / 10 = 0.2.",
            "farther from 2": "The curvature is 10, so the limit is 0.2. Above it, each step "
            "lands farther away, on the other side.",
        },
    ),
)
