"""Predictions of lesson 13 with other numbers, for when they come back."""

from course_utils.exercises import Variant

VARIANTS = (
    Variant(
        id="13.a",
        section="Is everything right before I train?",
        program="""
import keras

loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
blood_groups = tf.constant([2, 0, 1, 3, 0])
logits = tf.zeros((5, 4))  # nothing is known of anybody

print(f"{loss_fn(blood_groups, logits):.1f}")
""",
        question="What does it print, to one decimal?",
        right="1.4",
        options={
            "1.4": "Equal logits mean a probability of 1/4 for each of four groups, so the "
            "loss is -ln(1/4) = 1.39.",
            "2.3": "2.3 is -ln(1/10), for ten classes. But here there are four.",
            "0": "Logits of 0 look like a loss of 0. But they mean that all four groups are "
            "equally likely.",
            "0.3": "1/4 is the probability of each group. But the loss is minus its logarithm.",
            "4": "4 is the number of groups. But the loss is the logarithm of that number.",
            "0.6": "0.6 is the logarithm of 4 to base 10. But the loss uses the natural logarithm.",
        },
        otherwise=(
            "With equal logits, each of the four groups has the same probability. The "
            "loss is minus its natural logarithm."
        ),
    ),
    Variant(
        id="13.a",
        section="Is everything right before I train?",
        program="""
import keras

loss_fn = keras.losses.BinaryCrossentropy(from_logits=True)
is_spam = tf.constant([[1.0], [0.0], [0.0], [0.0]])
logits = tf.zeros((4, 1))

print(f"{loss_fn(is_spam, logits):.1f}")
""",
        question="What does it print, to one decimal?",
        right="0.7",
        options={
            "0.5": "One half is the probability for a logit of 0. But the loss is minus its "
            "logarithm.",
            "0.7": "A logit of 0 means a probability of 1/2, for spam and for mail alike. The "
            "loss is -ln(1/2) = 0.69, whatever the labels are.",
            "2.3": "2.3 is -ln(1/10), for ten classes. But here there are two: spam or not.",
            "0": "A logit of 0 looks like a loss of 0. But it means that both answers are "
            "equally likely.",
            "0.6": "0.6 is the loss if you always predict 1/4, the fraction of spam. But this "
            "network predicts 1/2.",
        },
        otherwise=(
            "A logit of 0 means a probability of 1/2. The loss is minus its natural logarithm."
        ),
    ),
    Variant(
        id="13.b",
        section="Can I write the epoch myself?",
        program="""
readings = tf.range(50)

for first in range(0, 50, 16):
    batch = readings[first : first + 16]

print(len(batch))
""",
        right="2",
        options={
            "an error": "The last slice asks for 48 to 64, but there are only 50. A single "
            "index beyond the end is an error, but a slice is not.",
            "2": "The last batch starts at 48, and a slice ends where the tensor ends.",
            "16": "Each slice asks for 16. But nothing fills up the last one.",
            "14": "14 entries are missing from a full batch. But the question is how many are "
            "left.",
        },
    ),
    Variant(
        id="13.b",
        section="Can I write the epoch myself?",
        program="""
minutes = tf.constant([2.0, 4.0, 6.0, 8.0, 10.0, 12.0])

last = minutes[4:8]
print(tf.reduce_mean(last).numpy())
""",
        right="11.0",
        options={
            "5.5": "5.5 would be right if the slice were filled with zeros up to four entries. "
            "But it has only two.",
            "7.0": "7.0 would be right if the slice continued at the beginning, with 2 and 4. "
            "But it ends where the tensor ends.",
            "an error": "There is no `minutes[7]`, and that index would be an error. But a "
            "slice returns what is there.",
            "11.0": "A slice ends where the tensor ends: 10 and 12 are left, and their mean is 11.",
        },
    ),
    Variant(
        id="13.c",
        section="Can I stop a training run, and resume it?",
        program="""
import keras

def masks(layer):
    return layer(tf.ones(50), training=True).numpy()

layer = keras.layers.Dropout(0.5, seed=3)
first, second = masks(layer), masks(layer)

again = keras.layers.Dropout(0.5, seed=3)  # after a crash between the two
resumed = masks(again)
""",
        question="The new layer has the same seed. Which mask does it draw?",
        truth='"the first once more" if np.array_equal(resumed, first) else '
        '"the second" if np.array_equal(resumed, second) else "another one"',
        right="the first once more",
        options={
            "the second": "A run without a crash would draw the second mask. But the number of "
            "masks drawn so far is in a variable of the old layer.",
            "another one": "Dropout is random. But its numbers follow from the seed and a "
            "counter, and both are known here.",
            "the first once more": "The seed is the same, and the counter starts again at 0. "
            "So without a saved counter, the new run drops other inputs than a run without "
            "a crash.",
        },
    ),
    Variant(
        id="13.c",
        section="Can I stop a training run, and resume it?",
        program="""
dice = tf.random.Generator.from_seed(7)
first = dice.uniform([50])
saved = dice.state.numpy()
second = dice.uniform([50])

again = tf.random.Generator.from_seed(7)  # after a crash
again.reset(saved)
resumed = again.uniform([50])
""",
        question="Which numbers does the new generator draw?",
        truth='"the first once more" if np.array_equal(resumed, first) else '
        '"the second" if np.array_equal(resumed, second) else "others"',
        right="the second",
        options={
            "the second": "A generator's state says how far it has come. With it, the new "
            "generator continues where the old one was when its state was saved.",
            "the first once more": "With only the seed, it would draw the first numbers again. "
            "But here the state was restored.",
            "others": "Random numbers seem to differ every time. But from one state, a "
            "generator always draws the same numbers.",
        },
    ),
)
