"""Predictions of lesson 14 with other numbers, for when they come back."""

from course_utils.exercises import Variant

VARIANTS = (
    Variant(
        id="14.a",
        section="What is fit, in your own words?",
        program="""
import warnings
import keras

lost, found = tf.Variable(1.0), tf.Variable(2.0)
sgd = keras.optimizers.SGD(0.1)
sgd.build([lost, found])

@tf.function
def step():
    sgd.apply([None, tf.constant(1.0)], [lost, found])
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always", UserWarning)
    for _ in range(30):
        step()
print(len(told))
""",
        question="A gradient is `None` in each of 30 steps. How many warnings?",
        right="1",
        options={
            "30": "In each step the gradient is missing, and outside a graph each `apply` warns, "
            "though Python shows a repeated warning once. Here a graph runs.",
            "1": "A warning is Python, and Python runs while the step is traced, at the first call. "
            "The 29 others are silent.",
            "0": "A graph says nothing while it runs. But the first call traces it, and that runs your "
            "Python once.",
        },
    ),
    Variant(
        id="14.a",
        section="What is fit, in your own words?",
        program="""
import warnings
import keras

lost, found = tf.Variable(1.0), tf.Variable(2.0)
sgd = keras.optimizers.SGD(0.1)
sgd.build([lost, found])

with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always", UserWarning)
    for _ in range(6):
        with tf.GradientTape() as tape:
            loss = tf.round(lost) + found
        sgd.apply(tape.gradient(loss, [lost, found]), [lost, found])
print(len(told))
""",
        question="`tf.round` has no gradient. How many warnings do six steps give?",
        right="6",
        options={
            "1": "So it is in `fit`, or in a `tf.function`: its Python runs once, while it is traced. "
            "This loop is plain Python.",
            "0": "The optimizer leaves a `None` out and goes on, but it says so.",
            "12": "Two variables in six steps are twelve gradients. But the one of `found` is there.",
            "6": "Nothing is traced here. Each `apply` is a call of Python, finds the `None`, and "
            "warns.",
        },
    ),
    Variant(
        id="14.b",
        section="How does a clipping move into fit?",
        program="""
import keras

class Careful(keras.optimizers.SGD):
    def apply(self, gradients, trainable_variables=None):
        gradients = [tf.clip_by_norm(g, 1.0) for g in gradients]
        super().apply(gradients, trainable_variables)

dose, sgd = tf.Variable(0.0), Careful(1.0, loss_scale_factor=4.0)
with tf.GradientTape() as tape:
    loss = sgd.scale_loss(-0.5 * dose)
sgd.apply([tape.gradient(loss, dose)], [dose])
print(dose.numpy())
""",
        question="The slope of -0.5 · dose is -0.5, and the rate is 1. What does it print?",
        right="0.25",
        options={
            "0.5": "A slope of 0.5 is shorter than the limit, and should be left alone. But `apply` "
            "gets it while it is still 4 times as long.",
            "1.0": "The limit is 1, and what arrives in `apply` is cut to it. After that the optimizer "
            "divides by 4.",
            "0.25": "The scaled slope -2 arrives, is cut to -1, and only then divided by 4. In "
            "`update_step` the scale is gone.",
            "2.0": "That is the scaled slope, 4 times 0.5. It is clipped, and divided by 4.",
        },
    ),
    Variant(
        id="14.b",
        section="How does a clipping move into fit?",
        program="""
import keras

class Careful(keras.optimizers.SGD):
    def apply(self, gradients, trainable_variables=None):
        gradients = [tf.clip_by_norm(g, 1.0) for g in gradients]
        super().apply(gradients, trainable_variables)

level, sgd = tf.Variable(5.0), Careful(1.0, gradient_accumulation_steps=2)
for gradient in (-3.0, 2.0):
    sgd.apply([tf.constant(gradient)], [level])
print(level.numpy())
""",
        question="The mean of the two gradients is -0.5, and the rate is 1. What does it print?",
        right="5.0",
        options={
            "5.5": "The mean, -0.5, is shorter than the limit: so it should be, and it would be with "
            "the clipping in `update_step`.",
            "5.0": "`apply` sees each batch by itself and cuts them to -1 and 1. Their mean is 0, and "
            "the level stays.",
            "6.0": "So it would be if the sum, -1, were taken. But the optimizer takes the mean of "
            "what was accumulated, and that was clipped before.",
        },
    ),
)
