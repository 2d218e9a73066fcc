"""Predictions of lesson 11 with other numbers, for when they come back."""

from course_utils.exercises import Variant

VARIANTS = (
    Variant(
        id="11.a",
        section="How large is each layer's gradient?",
        program="""
import keras

model = keras.Sequential([
    keras.Input((6,)),
    keras.layers.Dense(16, "relu", name="trunk"),
    keras.layers.Dense(4, name="top"),
])

found = [v for v in model.trainable_variables if "top" in v.name]
print(len(found))
""",
        right="0",
        options={
            "0": "In Keras 3 a name is the variable's own, `kernel` or `bias`. The list stays empty, "
            "and nothing is raised. Look in `v.path`.",
            "2": "The layer `top` has two variables, and they are meant. But their names are `kernel` "
            "and `bias`; `top` stands in their `path`.",
            "1": "One layer is called `top`. But it is the variables that are asked here, and none "
            "of them carries the layer's name.",
        },
    ),
    Variant(
        id="11.a",
        section="How large is each layer's gradient?",
        program="""
import keras

sensor = keras.Sequential([
    keras.Input((3,)),
    keras.layers.BatchNormalization(name="rescale"),
    keras.layers.Dense(1, name="readout"),
])

print(sensor.get_layer("rescale").gamma.name)
""",
        right="gamma",
        options={
            "kernel": "So it would be for the matrix of a Dense layer. This layer has none; it has a "
            "`gamma`, which it multiplies by.",
            "gamma": "The name is the variable's own. Where it belongs stands in its `path`, "
            "which ends in `rescale/gamma`.",
            "rescale": "That is the layer's name. The variable has one of its own.",
            "rescale/gamma": "So ends its `path`. In older versions of Keras the name held the "
            "layer, too.",
        },
    ),
    Variant(
        id="11.b",
        section="What does each way of clipping do?",
        program="""
push = tf.constant([1.0, 2.0])
turn = tf.constant([2.0])

clipped, _ = tf.clip_by_global_norm([push, turn], 1.5)
print(f"{clipped[1][0]:.2f}")
""",
        right="1.00",
        options={
            "1.50": "So it would be by norm, where turn has a factor of its own: 2 is cut to 1.5, and "
            "the whole changes its direction.",
            "2.00": "It is longer than the limit by itself, and all three together are longer still. "
            "So it is scaled.",
            "1.00": "The norm of all three numbers is 3, twice the limit, so each is halved. One "
            "factor for all keeps the direction of the whole.",
            "0.71": "That is 2 times 1.5 / 4.24, by the sum of the two lengths, 2.24 and 2. Norms do "
            "not add up: that of all is the root of 1 + 4 + 4.",
        },
    ),
    Variant(
        id="11.b",
        section="What does each way of clipping do?",
        program="""
salt = tf.constant([0.6, 0.8])
water = tf.constant([12.0])  # 12 times as long

salt, water = (tf.clip_by_norm(gradient, 2.0) for gradient in (salt, water))
print(f"{tf.norm(water) / tf.norm(salt):.1f}")
""",
        right="2.0",
        options={
            "2.0": "By norm, water is cut to 2 and salt, of length 1, is left alone. Both together "
            "now point another way.",
            "12.0": "A clipping only scales, one would think, and the ratio stays. It does by global "
            "norm, with one factor for all. Here each gradient has its own.",
            "1.0": "That needs both to be cut to the limit. But salt, of length 1, is shorter than "
            "2, and stays as it is.",
        },
    ),
    Variant(
        id="11.c",
        section="Does clipping slow Adam down?",
        program="""
import keras

dose, adam = tf.Variable(0.0), keras.optimizers.Adam(0.01)

for _ in range(20):
    gradient = tf.constant(-4.0)
    adam.apply([tf.clip_by_norm(gradient, 2.0)], [dose])

print(f"{dose.numpy():.2f}")
""",
        right="0.20",
        options={
            "0.40": "That is SGD: 20 steps of 0.01 times 2. Adam divides by the size of the "
            "gradient.",
            "0.10": "Without clipping it would be 0.20, and clipping halves each gradient. But a "
            "factor that stays the same cancels in Adam.",
            "0.20": "20 steps of about the length 0.01. Adam divides the average gradient by its "
            "average size, so it does not matter whether it is 4 or 2.",
            "0.80": "That is SGD without the clipping: 20 steps of 0.01 times 4.",
        },
    ),
    Variant(
        id="11.c",
        section="Does clipping slow Adam down?",
        program="""
import keras

angle, sgd = tf.Variable(0.0), keras.optimizers.SGD(0.001)

for _ in range(100):
    gradient = tf.constant(-50.0)
    sgd.apply([tf.clip_by_norm(gradient, 5.0)], [angle])

print(f"{angle.numpy():.2f}")
""",
        right="0.50",
        options={
            "5.00": "It would come as far without clipping: 100 steps of 0.001 times 50.",
            "0.50": "SGD moves by the rate times what it is given: 100 steps of 0.001 times 5. Here "
            "the clipping shows; Adam would hide it.",
            "0.10": "That is Adam, whose steps here have about the length of the rate, clipped or "
            "not. SGD does not divide by the gradient's size.",
        },
    ),
    Variant(
        id="11.d",
        section="Further: when do gradients explode?",
        program="""
start = savings = tf.constant(200.0)

with tf.GradientTape() as tape:
    tape.watch(start)
    for year in range(30):
        savings = 1.05 * savings

print(f"{tape.gradient(savings, start):.2f}")
""",
        right="4.32",
        options={
            "1.05": "That is the slope of one year. There are 30 of them, one behind the other.",
            "31.50": "30 times 1.05 would be right if slopes added up. Along a path they multiply.",
            "864.39": "That is what is in the account after 30 years. The slope says what one more "
            "at the start would become.",
            "4.32": "Along a path slopes multiply: 1.05 to the power of 30.",
        },
    ),
    Variant(
        id="11.d",
        section="Further: when do gradients explode?",
        program="""
voice = signal = tf.constant(3.0)

with tf.GradientTape() as tape:
    tape.watch(voice)
    for gain in (4.0, 0.5, 2.0, 0.5):
        signal = gain * signal

print(tape.gradient(signal, voice).numpy())
""",
        right="2.0",
        options={
            "7.0": "That is the sum of the four gains. Slopes add up where paths meet; along one "
            "path they multiply.",
            "2.0": "Along a path slopes multiply: 4 · 0.5 · 2 · 0.5. Gains above and below 1 make up "
            "for each other.",
            "0.5": "That is the slope of the last step. The three before it stand on the same path.",
            "6.0": "That is the signal itself, 3 times 2. The slope does not hold the 3.",
        },
    ),
    Variant(
        id="11.2",
        section="What does each way of clipping do?",
        program="""
gradients = [tf.constant([3.0]), tf.constant([4.0])]
clipped, _ = tf.clip_by_global_norm(gradients, 1.0)

print([round(float(g[0]), 2) for g in clipped])
""",
        right="[0.6, 0.8]",
        options={
            "[1.0, 1.0]": "So it is by norm, each by itself. By global norm they share one factor.",
            "[0.6, 0.8]": "The joint norm is 5, so both are divided by 5.",
            "[0.75, 1.0]": "The limit holds for the norm of both together, which is 5, not for the larger one.",
        },
    ),
    Variant(
        id="11.2",
        section="What does each way of clipping do?",
        program="""
gradients = [tf.constant([3.0]), tf.constant([0.4])]
clipped = [tf.clip_by_norm(g, 1.0) for g in gradients]

print([round(float(g[0]), 2) for g in clipped])
""",
        right="[1.0, 0.4]",
        options={
            "[1.0, 0.13]": "By norm each is clipped by itself: 0.4 is below its limit, and stays.",
            "[1.0, 0.4]": "Each has its own factor, and what is below the limit stays as it is.",
            "[1.0, 1.0]": "A limit makes no gradient longer.",
        },
    ),
)
