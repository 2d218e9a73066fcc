"""The prediction of lesson 00 with other numbers, for when it comes back."""

from course_utils.exercises import Variant

VARIANTS = (
    Variant(
        id="00.a",
        section="How do I run a lesson?",
        program="""
minutes = tf.constant(200)
hours = minutes // tf.constant(60)

print(hours.dtype.name)
""",
        right="int32",
        options={
            "float64": "`float64` is what `/` gives, true division: 200 / 60 is not an "
            "integer. But `//` rounds down, to 3.",
            "int32": "`//` rounds down, so the result is an integer again and keeps the type "
            "of its operands. Only `/` casts to `float64` first.",
            "float32": "`float32` is the type of `tf.constant(3.0)`. But both numbers here are "
            "integers, and `//` returns an integer.",
        },
    ),
    Variant(
        id="00.a",
        section="How do I run a lesson?",
        program="""
minutes = tf.constant(90)
hours = minutes / 60

try:
    print(f"{hours + tf.constant(0.5)}")
except tf.errors.InvalidArgumentError:
    print("an error")
""",
        right="an error",
        options={
            "an error": "`/` casts 32-bit integers to `float64`, but `tf.constant(0.5)` is a "
            "`float32`. TensorFlow does not add tensors of two types, so cast one of them.",
            "2.0": "On paper, 1.5 and 0.5 make 2. But `/` made `hours` a `float64`, and "
            "`tf.constant(0.5)` is a `float32`.",
            "1.5": "1.5 would be one whole hour plus a half. But `/` divides exactly, as in "
            "Python, so `hours` is 1.5, not 1.",
        },
    ),
)
