"""The prediction of lesson 00 with other numbers, for when it comes back."""

from course_utils.exercises import Variant

VARIANTS = (
    Variant(
        id="00.a",
        section="Cells and predictions",
        program="""
minutes = tf.constant(200)
hours = minutes // tf.constant(60)

print(hours.dtype.name)
""",
        right="int32",
        options={
            "float64": "That is what `/` gives, true division: 200 / 60 is no whole number. "
            "But `//` rounds down, to 3.",
            "int32": "`//` rounds down, so the result is a whole number again, and keeps the type "
            "of its operands. Only `/` casts to `float64` first.",
            "float32": "It is the type of `tf.constant(3.0)`. But here no number has a point, and "
            "`//` makes none.",
        },
    ),
    Variant(
        id="00.a",
        section="Cells and predictions",
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
            "an error": "`/` casts 32-bit integers to `float64`. `tf.constant(0.5)` is a `float32`, "
            "and TensorFlow does not add tensors of two types: cast one of them.",
            "2.0": "1.5 and 0.5 make 2, on paper. But `/` made `hours` a `float64`, and "
            "`tf.constant(0.5)` is a `float32`.",
            "1.5": "Whole hours and a half, one might say. But `/` divides exactly, as in Python: "
            "`hours` is 1.5, not 1.",
        },
    ),
)
