"""Predictions of lesson 13 with other numbers, for when they come back."""

from course_utils.exercises import Variant

VARIANTS = (
    Variant(
        id="13.a",
        section="Is the network wired right?",
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
            "1.4": "Equal logits are a probability of 1/4 for each of four groups, and the loss is "
            "-ln(1/4) = 1.39.",
            "2.3": "That is -ln(1/10), for ten classes. Here are four.",
            "0": "Logits of 0 are not a loss of 0: they say that all four are equally likely.",
            "0.3": "1/4 is the probability of each group. The loss is minus its logarithm.",
            "4": "4 is the number of groups. The loss is a logarithm of it.",
            "0.6": "That is the logarithm of 4 to base 10. The loss takes the natural one.",
        },
        otherwise="Equal logits share the probability among four groups. The loss is minus the "
        "natural logarithm of what the right one gets.",
    ),
    Variant(
        id="13.a",
        section="Is the network wired right?",
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
            "0.5": "One half is the probability that a logit of 0 gives. The loss is minus its "
            "logarithm.",
            "0.7": "A logit of 0 is a probability of 1/2, for spam and for mail alike, and the loss "
            "is -ln(1/2) = 0.69, whatever the labels are.",
            "2.3": "That is -ln(1/10), for ten classes. Here are two: spam, or not.",
            "0": "A logit of 0 is not a loss of 0. It says that both answers are equally likely.",
            "0.6": "That is the loss of somebody who knows that a quarter is spam, and says 1/4 to all. "
            "This network says 1/2.",
        },
        otherwise="A logit of 0 is a probability of 1/2. The loss is minus its natural logarithm.",
    ),
    Variant(
        id="13.b",
        section="What does one epoch look like in a graph?",
        program="""
readings = tf.range(50)

for first in range(0, 50, 16):
    batch = readings[first : first + 16]

print(len(batch))
""",
        right="2",
        options={
            "an error": "The last slice asks for 48 to 64, and there are 50. A single index beyond "
            "the end is an error, a slice is not.",
            "2": "The last batch begins at 48, and a slice ends where the tensor ends.",
            "16": "Each slice asks for 16. But nothing fills the last one up.",
            "14": "14 are missing from a full batch. What is there is the rest of 50 / 16.",
        },
    ),
    Variant(
        id="13.b",
        section="What does one epoch look like in a graph?",
        program="""
minutes = tf.constant([2.0, 4.0, 6.0, 8.0, 10.0, 12.0])

last = minutes[4:8]
print(tf.reduce_mean(last).numpy())
""",
        right="11.0",
        options={
            "5.5": "So it would be if the slice were filled up with zeros to four entries. It has "
            "two.",
            "7.0": "So it would be if the slice went on at the beginning, with 2 and 4. It ends "
            "at the end.",
            "an error": "There is no `minutes[7]`, that is true, and asking for it alone is an error. "
            "A slice takes what there is.",
            "11.0": "A slice ends where the tensor ends: 10 and 12 are left, and the mean is that of "
            "two.",
        },
    ),
    Variant(
        id="13.c",
        section="Can you stop, and go on?",
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
            "the second": "That is what a run without a stop would draw. But how many masks were "
            "drawn before stands in a variable of the old layer.",
            "another one": "Dropout is random. But its numbers follow from the seed and a "
            "counter, and both are known here.",
            "the first once more": "The seed is there, and the counter begins anew. So the new run "
            "drops other inputs than the one without a stop, if nobody saves the counter.",
        },
    ),
    Variant(
        id="13.c",
        section="Can you stop, and go on?",
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
            "the second": "A generator's state says how far it has come. With it the new one goes on "
            "where the old one stood when it was saved.",
            "the first once more": "So it is with the seed alone. Here the state came along.",
            "others": "From one state on, a generator always draws the same numbers.",
        },
    ),
)
