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
            "0": "In Keras 3, `v.name` is only the variable's own name, `kernel` or `bias`. So "
            "the list silently stays empty. Search in `v.path` instead.",
            "2": "The layer `top` has two variables. But their names are `kernel` and `bias`; "
            "`top` is only in their `path`.",
            "1": "One layer is called `top`. But the loop searches the names of variables, and "
            "none of them contains the layer's name.",
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
            "kernel": "`kernel` is the name of a Dense layer's matrix. But this layer has "
            "none; it has a `gamma`, which it multiplies by.",
            "gamma": "The name belongs to the variable itself. Its layer is in the `path`, "
            "which ends in `rescale/gamma`.",
            "rescale": "`rescale` is the layer's name. But the variable has its own name.",
            "rescale/gamma": "`rescale/gamma` is the end of its `path`. In older versions of "
            "Keras the name contained the layer, but in Keras 3 it does not.",
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
            "1.50": "1.50 would be right by norm, with a separate factor for `turn`. But a "
            "global norm scales all numbers by one factor.",
            "2.00": "2.00 is `turn` without clipping. But it is already longer than the limit, "
            "and all three numbers together are longer still.",
            "1.00": "The norm of all three numbers is 3, twice the limit, so each is halved. "
            "One factor for all keeps the direction.",
            "0.71": (
                "0.71 is 2 times 1.5 / 4.24, with the sum of the two norms, 2.24 and 2. But norms "
                "do not add up: the joint norm is the square root of 1 + 4 + 4."
            ),
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
            "2.0": "By norm, `water` is clipped to 2, and `salt`, with norm 1, stays "
            "unchanged. So the two together now point in another direction.",
            "12.0": "Clipping only scales, so the ratio seems to stay. It does with a global "
            "norm, with one factor for all; but here each gradient has its own factor.",
            "1.0": "1.0 would be right if both were clipped to the limit. But `salt`, with "
            "norm 1, is shorter than 2 and stays unchanged.",
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
            "0.40": "0.40 would be right for SGD: 20 steps of 0.01 times 2. But Adam divides "
            "by the size of the gradient.",
            "0.10": "Without clipping it would be 0.20, and clipping halves each gradient. But "
            "a constant factor cancels in Adam.",
            "0.20": "There are 20 steps of about 0.01. Adam divides the average gradient by "
            "its average size, so it makes no difference whether the gradient is 4 or 2.",
            "0.80": "0.80 would be right for SGD without clipping: 20 steps of 0.01 times 4. "
            "But this is Adam.",
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
            "5.00": "5.00 would be right without clipping: 100 steps of 0.001 times 50. But "
            "each gradient is clipped to 5.",
            "0.50": "SGD moves by the learning rate times the gradient: 100 steps of 0.001 "
            "times 5. So here the clipping shows; with Adam it would not.",
            "0.10": "0.10 would be right for Adam, whose steps here are about as long as the "
            "learning rate, clipped or not. But SGD does not divide by the size of the "
            "gradient.",
        },
    ),
    Variant(
        id="11.d",
        section="When do gradients explode?",
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
            "1.05": "1.05 is the slope of one year. But there are 30 of them, one after the other.",
            "31.50": "31.50 is 30 times 1.05, as if slopes added up. But along a path they "
            "multiply.",
            "864.39": "864.39 is the balance after 30 years. But the slope says what one more "
            "at the start becomes.",
            "4.32": "Along a path, slopes multiply: 1.05 to the power of 30.",
        },
    ),
    Variant(
        id="11.d",
        section="When do gradients explode?",
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
            "7.0": "7 is the sum of the four gains. Slopes add up if paths meet; but along one "
            "path they multiply.",
            "2.0": "Along a path, slopes multiply: 4 · 0.5 · 2 · 0.5. Gains above and below 1 "
            "compensate for each other.",
            "0.5": "0.5 is the slope of the last step. But the three steps before it are on "
            "the same path.",
            "6.0": "6 is the signal itself, 3 times 2. But the slope does not contain the 3.",
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
            "[1.0, 1.0]": "[1.0, 1.0] would be right by norm, with each clipped separately. "
            "But with a global norm they share one factor.",
            "[0.6, 0.8]": "The joint norm is 5, so both are divided by 5.",
            "[0.75, 1.0]": "This scales the larger one to the limit. But the limit holds for "
            "the norm of both together, which is 5.",
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
            "[1.0, 0.13]": "With a global norm both would share one factor. But by norm each "
            "is clipped separately, and 0.4 is below its limit.",
            "[1.0, 0.4]": "Each gradient has its own factor, and one below the limit stays "
            "unchanged.",
            "[1.0, 1.0]": "The first one is clipped to the limit. But clipping never makes a "
            "gradient longer.",
        },
    ),
)
