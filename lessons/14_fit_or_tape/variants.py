"""Predictions of lesson 14 with other numbers, for when they come back."""

from course_utils.exercises import Variant

VARIANTS = (
    Variant(
        id="14.a",
        section="What does fit do?",
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
            "30": "The gradient is missing in each step, and outside a graph each `apply` "
            "would give a warning. But here the step is traced into a graph once.",
            "1": "A warning comes from Python, and Python runs only while the step is traced, "
            "in the first call. The other 29 calls are silent.",
            "0": "A graph prints nothing while it runs. But the first call traces it, which "
            "runs your Python code once.",
        },
    ),
    Variant(
        id="14.a",
        section="What does fit do?",
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
            "1": "1 would be right in `fit` or in a `tf.function`, whose Python code runs only "
            "during tracing. But this loop is plain Python.",
            "0": "The optimizer skips a `None` and continues. But it warns about it.",
            "12": "Two variables in six steps make twelve gradients. But the gradient of "
            "`found` exists.",
            "6": "Nothing is traced here. Each `apply` is a Python call that finds the `None` "
            "and warns.",
        },
    ),
    Variant(
        id="14.b",
        section="Does my optimizer keep what fit promises?",
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
        question=(
            "The slope of -0.5 · dose is -0.5, and the learning rate is 1. What does it print?"
        ),
        right="0.25",
        options={
            "0.5": "A slope of 0.5 is below the limit, so it should stay unchanged. But "
            "`apply` gets it while it is still 4 times as large.",
            "1.0": "The limit is 1, and `apply` clips its input to that. But after that the "
            "optimizer divides by 4.",
            "0.25": "`apply` gets the scaled slope -2 and clips it to -1. Only then does the "
            "optimizer divide by 4. In `update_step` the scale is already divided out.",
            "2.0": "2 is the scaled slope, 4 times 0.5. But it is clipped, and then divided by 4.",
        },
    ),
    Variant(
        id="14.b",
        section="Does my optimizer keep what fit promises?",
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
        question=(
            "The mean of the two gradients is -0.5, and the learning rate is 1. What does it print?"
        ),
        right="5.0",
        options={
            "5.5": "The mean, -0.5, is below the limit, so 5.5 is what you want. But you get "
            "it only if you clip in `update_step`.",
            "5.0": "`apply` gets each batch separately and clips the gradients to -1 and 1. "
            "Their mean is 0, so the level stays the same.",
            "6.0": "6 would be right for the sum, -1. But the optimizer uses the mean of the "
            "accumulated gradients, and those were clipped before.",
        },
    ),
)
