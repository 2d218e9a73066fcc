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
        question="The gradient of the mean over all numbers is 4. What does it print?",
        right="12.0",
        options={
            "4.0": "The mean of the three means would be 4. But the gradients are added.",
            "12.0": "Each part is divided by 2 instead of 6. The sum of three means is three "
            "times the mean if the parts have equal sizes.",
            "24.0": "24 is the sum of all six numbers. But each part is divided by its size, 2.",
            "1.33": "1.33 is 4 / 3, as if the mean were divided again. But each part is "
            "divided by too little, not by too much.",
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
            "4.0": "Each part is a sum, divided by the number of all examples. So the "
            "gradients add up to that of the mean over all.",
            "16.0": "16 is the sum of four means, each over a part of two. But here each part "
            "is divided by 8, the number of all examples.",
            "1.0": "1 would be right if the sum were divided by 4 again. But the parts add up "
            "to the whole.",
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
            "23": "23 is the correct number, and a graph without XLA returns it. But XLA "
            "compiled the body of the loop for batches of 10.",
            "20": "20 would be right if XLA skipped the short batch. But it treats it as a "
            "full one.",
            "an error": "An error would help. But XLA gives no message.",
            "30": "XLA silently uses the size that it compiled for, 10, for the last 3 as "
            "well: three times 10.",
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
            "16": "16 would be right with `jit_compile=True`, which treats each batch as a "
            "full one. But this is a graph without XLA.",
            "12": "12 would be right without the last batch. But its 2 entries are included.",
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
        question="The slope is 4e-9 times 5. What does the tape return?",
        right="0",
        options={
            "2e-8": "2e-8 is the slope, and w and the loss are `float32`. But in the backward "
            "pass the gradient goes through `float16`.",
            "None": "A cast may seem to break the path. But a cast between floating-point "
            "types has a gradient.",
            "6e-8": "6e-8 is the smallest number above 0 in `float16`. But 2e-8 is closer to 0.",
            "0": "In `float16` every number below 3e-8 becomes 0, and in the backward pass the "
            "gradient goes through it.",
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
        question="The slope is 2e-9 times 4. What does the tape return?",
        right="8e-9",
        options={
            "0": "0 would be right with `float16`, whose smallest number is about 6e-8. But "
            "`bfloat16` goes almost as far down as `float32`.",
            "8e-9": "`bfloat16` has only two or three digits, but almost the range of "
            "`float32`. So the slope is not lost, even without scaling.",
            "None": "A cast may seem to break the path. But a cast between floating-point "
            "types has a gradient.",
        },
    ),
)
