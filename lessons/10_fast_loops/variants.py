"""The predictions of lesson 10 with other numbers, for when they come back."""

from course_utils.exercises import Variant

VARIANTS = (
    Variant(
        id="10.a",
        section="How often is my step traced?",
        program="""
layer, adam = tf.keras.layers.Dense(1), tf.keras.optimizers.Adam()
layer.build((None, 3))
adam.build(layer.trainable_variables)

@tf.function
def step(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(layer(x) ** 2)
    adam.apply(tape.gradient(loss, layer.trainable_variables), layer.trainable_variables)

x = tf.ones((100, 3))
for first in range(0, 100, 20):
    step(x[first : first + 20])
print(step.experimental_get_tracing_count())
""",
        right="1",
        options={
            "2": "So it would be if Adam made its variables in the first call. Here they are made "
            "before.",
            "1": "Adam's variables exist before the first call, and all five batches have one shape.",
            "3": "Two for the first call and one for a short batch. But Adam is built, and 20 goes "
            "into 100 without a remainder.",
            "5": "Five batches, but only shape and dtype of a tensor count.",
        },
    ),
    Variant(
        id="10.a",
        section="How often is my step traced?",
        program="""
layer, adam = tf.keras.layers.Dense(1), tf.keras.optimizers.Adam()
layer.build((None, 3))

@tf.function
def step(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(layer(x) ** 2)
    adam.apply(tape.gradient(loss, layer.trainable_variables), layer.trainable_variables)

x = tf.ones((100, 3))
for first in range(0, 100, 25):
    step(x[first : first + 25])
print(step.experimental_get_tracing_count())
""",
        right="2",
        options={
            "1": "All four batches have one shape. But Adam makes its variables in the first call, and "
            "that call is traced twice.",
            "3": "The third would be for a short last batch. Here is none: 25 goes into 100.",
            "4": "Four batches with other numbers. But only shape and dtype of a tensor count.",
            "2": "Adam makes its variables in the first call, which is traced once to make them and "
            "once more for the graph that stays. 25 goes into 100, so no short batch follows.",
        },
    ),
    Variant(
        id="10.b",
        section="In which order does a data pipeline stand?",
        question="In how many of 50 epochs do days 3 and 4 meet in a batch?",
        program="""
days = tf.data.Dataset.range(8).batch(4).shuffle(2, seed=1)

epochs = 0
for _ in range(50):
    batches = [set(batch) for batch in days.as_numpy_iterator()]
    epochs += any({3, 4} <= batch for batch in batches)

print(epochs)
""",
        right="in none",
        truth="'in none' if epochs == 0 else 'in all' if epochs == 50 else 'in some'",
        options={
            "in some": "So it would be if the days were shuffled. But they are batched first, and what "
            "is shuffled are two batches.",
            "in all": "3 and 4 are neighbours. But the border between two batches runs between them.",
            "in none": "Day 3 ends the first batch and day 4 begins the second. The shuffle changes "
            "which of the two batches comes first, and nothing within them.",
        },
    ),
    Variant(
        id="10.b",
        section="In which order does a data pipeline stand?",
        question="In how many of 50 epochs do days 0 and 7 meet in a batch?",
        program="""
days = tf.data.Dataset.range(8).shuffle(8, seed=1).batch(4)

epochs = 0
for _ in range(50):
    batches = [set(batch) for batch in days.as_numpy_iterator()]
    epochs += any({0, 7} <= batch for batch in batches)

print(epochs)
""",
        right="in some",
        truth="'in none' if epochs == 0 else 'in all' if epochs == 50 else 'in some'",
        options={
            "in some": "The days are shuffled first, anew in each epoch, and then batched. So any two "
            "of them can meet.",
            "in all": "If one order were drawn and kept, it would be all or none. But each epoch draws its own.",
            "in none": "So it would be if `batch` stood first: 0 to 3 in one batch, 4 to 7 in the other.",
        },
    ),
    Variant(
        id="10.c",
        section="In which order does a data pipeline stand?",
        program="""
runs = []

def decode(image):
    runs.append("here")
    return 2 * image

def slow(image):
    return tf.py_function(decode, [image], tf.int64)

images = tf.data.Dataset.range(5).map(slow).cache()
for epoch in range(4):
    list(images)
print(len(runs))
""",
        right="5",
        options={
            "20": "Five images in each of four epochs. But behind the `map`, the cache keeps the "
            "results, and they serve three of the epochs.",
            "5": "The cache stands behind the `map` and keeps what `decode` made. It runs in the first "
            "epoch, once for each image.",
            "1": "Once is enough for the function, one might say. But it is called for each image.",
        },
        otherwise="There are 5 images and four epochs. What does the cache keep: raw images, or what "
        "`decode` made of them?",
    ),
    Variant(
        id="10.c",
        section="In which order does a data pipeline stand?",
        program="""
runs = []

def decode(numbers):
    runs.append("here")
    return 2 * numbers

def slow(numbers):
    return tf.py_function(decode, [numbers], tf.int64)

songs = tf.data.Dataset.range(10).batch(5).cache().map(slow)
for epoch in range(3):
    list(songs)
print(len(runs))
""",
        right="6",
        options={
            "2": "Two batches, once each: so it would be with the cache behind the `map`. Here it "
            "keeps what is not yet decoded.",
            "30": "Ten songs in three epochs. But they come in batches of 5, and `decode` takes a "
            "whole batch.",
            "10": "Once for each song. But they come in batches, and the cache stands too early to keep "
            "what is decoded.",
            "6": "The cache keeps raw batches, so `decode` runs in every epoch: for 2 batches, three "
            "times.",
        },
        otherwise="10 songs in batches of 5, and three epochs. Does the cache keep what `decode` made?",
    ),
    Variant(
        id="10.d",
        section="In which order does a data pipeline stand?",
        program="""
def with_noise(pixel):
    return pixel + tf.random.normal(())

pixels = tf.data.Dataset.from_tensor_slices([1.0, 2.0, 3.0])
noisy = pixels.map(with_noise).cache()

first, second = list(noisy.as_numpy_iterator()), list(noisy.as_numpy_iterator())
print("the same noise" if first == second else "other noise")
""",
        question="What does the second epoch have?",
        right="the same noise",
        options={
            "other noise": "`with_noise` would draw anew. But in the second epoch nobody calls it: it "
            "stands before the cache.",
            "no noise": "Nothing takes the noise away: it is added before the cache, and is kept.",
            "the same noise": "The cache keeps what came out in the first epoch, noise and all, and "
            "repeats it. What is to be drawn anew comes behind it.",
        },
    ),
    Variant(
        id="10.d",
        section="In which order does a data pipeline stand?",
        program="""
songs = tf.data.Dataset.range(50).cache().shuffle(50, seed=3)

first, second = list(songs.as_numpy_iterator()), list(songs.as_numpy_iterator())
print("another order" if first != second else "the same order")
""",
        question="What does the second epoch have?",
        right="another order",
        options={
            "another order": "The cache keeps the songs as they come, and the shuffle stands behind "
            "it: it draws an order for each epoch.",
            "the same order": "A seed fixes the draws, and still each epoch draws an order of its own. The same order "
            "would come from `shuffle` before `cache`.",
            "the order 0 to 49": "The cache repeats the songs in that order. But what comes out of it "
            "is shuffled.",
        },
    ),
)
