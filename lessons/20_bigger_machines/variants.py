"""Predictions of lesson 20 with other numbers, for when they come back."""

from course_utils.exercises import Variant

VARIANTS = (
    Variant(
        id="20.a",
        section="What is one step on several devices?",
        program="""
tips = tf.constant([1.0, 3.0, 5.0, 7.0, 2.0, 6.0])  # their mean is 4
w = tf.Variable(1.0)

total = 0.0
for part in tf.split(tips, 3):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(w * part)
    total += tape.gradient(loss, w)

print(total.numpy())
""",
        question="The gradient of the mean of all is 4. What does it print?",
        right="12.0",
        options={
            "4.0": "The mean of the three means would be that. But the gradients are added.",
            "12.0": "Each part is divided by 2 in place of 6. The sum of three means is three times the "
            "mean, where the parts are alike in size.",
            "24.0": "That is the sum of all six. Each part is divided by its size, 2.",
            "1.33": "That is 4 / 3, as if the mean had been divided once more. Each part is divided "
            "by too little, not by too much.",
        },
    ),
    Variant(
        id="20.a",
        section="What is one step on several devices?",
        program="""
rain = tf.constant([2.0, 4.0, 9.0, 1.0, 0.0, 8.0, 6.0, 2.0])  # their mean is 4
w = tf.Variable(1.0)

total = 0.0
for part in tf.split(rain, 4):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(w * part) / 8
    total += tape.gradient(loss, w)

print(total.numpy())
""",
        right="4.0",
        options={
            "4.0": "Each part is a sum, divided by the number of all. So the gradients add up to that "
            "of the mean of all.",
            "16.0": "That is the sum of four means, each over a part of two. Here each part is divided "
            "by 8, the size of all.",
            "1.0": "It would be 1 if the sum were divided by 4 once more. The parts add up to the "
            "whole.",
        },
    ),
    Variant(
        id="20.d",
        section="What does XLA do with the last batch?",
        program="""
@tf.function(jit_compile=True)
def letters_read(letters):
    total = 0
    for first in tf.range(0, tf.size(letters), 10):
        total += tf.size(letters[first : first + 10])
    return total

print(letters_read(tf.range(23)).numpy())
""",
        right="30",
        options={
            "23": "This is the truth, and a graph without XLA says it. XLA compiled the body of the "
            "loop for batches of 10.",
            "20": "It does not leave the short batch out. It takes it for a full one.",
            "an error": "An error would be kind. XLA says nothing.",
            "30": "XLA takes the size that it compiled for, 10, for the last 3 as well, and says "
            "nothing: three times 10.",
        },
    ),
    Variant(
        id="20.d",
        section="What does XLA do with the last batch?",
        program="""
@tf.function
def seats_taken(guests):
    total = 0
    for first in tf.range(0, tf.size(guests), 4):
        total += tf.size(guests[first : first + 4])
    return total

print(seats_taken(tf.range(14)).numpy())
""",
        right="14",
        options={
            "16": "So it is under `jit_compile=True`, which takes each batch for a full one. This is a "
            "graph without XLA.",
            "12": "The last batch has 2 entries, and it counts.",
            "14": "A graph computes the size of each batch when it runs: 4, 4, 4 and 2.",
        },
    ),
    Variant(
        id="20.e",
        section="What do 16 bits need?",
        program="""
w = tf.Variable(5.0)

with tf.GradientTape() as tape:
    half = tf.cast(w, tf.float16)
    loss = 2e-9 * tf.cast(half, tf.float32) ** 2

slope = tape.gradient(loss, w)
print(slope if slope is None else f"{slope:.0e}")
""",
        question="The slope is 4e-9 times 5. What does the tape give?",
        right="0",
        options={
            "2e-8": "That is the slope, and w and the loss are `float32`. But on its way back the "
            "gradient passes through `float16`.",
            "None": "The path is there: a cast between floating-point numbers carries a gradient.",
            "6e-8": "That is the smallest number above 0 in `float16`. 2e-8 is nearer to 0.",
            "0": "In `float16` all below 3e-8 becomes 0, and the gradient passes through it on its "
            "way back.",
        },
    ),
    Variant(
        id="20.e",
        section="What do 16 bits need?",
        program="""
w = tf.Variable(4.0)

with tf.GradientTape() as tape:
    half = tf.cast(w, tf.bfloat16)
    loss = 1e-9 * tf.cast(half, tf.float32) ** 2

slope = tape.gradient(loss, w)
print(slope if slope is None else f"{slope:.0e}")
""",
        question="The slope is 2e-9 times 4. What does the tape give?",
        right="8e-9",
        options={
            "0": "So it is with `float16`, which ends near 6e-8. `bfloat16` reaches nearly as far "
            "down as `float32`.",
            "8e-9": "`bfloat16` has two or three digits, but nearly the range of `float32`. The slope gets "
            "through without any scaling.",
            "None": "The path is there: a cast between floating-point numbers carries a gradient.",
        },
    ),
)
