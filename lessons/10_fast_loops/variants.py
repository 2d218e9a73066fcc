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
            "2": "2 would be right if Adam created its variables in the first call. But here "
            "they are created before.",
            "1": "Adam's variables exist before the first call, and all five batches have one "
            "shape.",
            "3": "3 would be two traces for the first call and one for a short batch. But Adam "
            "is already built, and 100 is a multiple of 20.",
            "5": "There are five batches. But for a tensor only its shape and dtype matter.",
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
            "1": "All four batches have one shape. But Adam creates its variables in the first "
            "call, and that call is traced twice.",
            "3": "The third trace would be for a short last batch. But 100 is a multiple of 25.",
            "4": "There are four batches with other numbers. But for a tensor only its shape "
            "and dtype matter.",
            "2": "Adam creates its variables in the first call, which is traced once to create "
            "them and once for the graph that is kept. 100 is a multiple of 25, so there "
            "is no short batch.",
        },
    ),
    Variant(
        id="10.b",
        section="In which order do the parts of a data pipeline go?",
        question="In how many of 50 epochs are days 3 and 4 in the same batch?",
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
            "in some": "It would be some of them if the days were shuffled. But they are "
            "batched first, and only the two batches are shuffled.",
            "in all": "3 and 4 are neighbors. But the border between the two batches is "
            "between them.",
            "in none": "Day 3 ends the first batch, and day 4 starts the second. The shuffle "
            "changes which batch comes first, but nothing inside a batch.",
        },
    ),
    Variant(
        id="10.b",
        section="In which order do the parts of a data pipeline go?",
        question="In how many of 50 epochs are days 0 and 7 in the same batch?",
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
            "in some": "The days are shuffled first, with a new order in each epoch, and then "
            "batched. So any two days can be in the same batch.",
            "in all": "If one order were drawn and stored, it would be all or none. But each "
            "epoch draws a new order.",
            "in none": "It would be none if `batch` came first: 0 to 3 in one batch, 4 to 7 in "
            "the other. But here the shuffle comes first.",
        },
    ),
    Variant(
        id="10.c",
        section="In which order do the parts of a data pipeline go?",
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
            "20": "There are five images in each of four epochs. But the cache comes after the "
            "`map`, so it stores the results for the later epochs.",
            "5": "The cache comes after the `map` and stores the results of `decode`. So "
            "`decode` runs only in the first epoch, once per image.",
            "1": "The function might run once for the whole dataset. But `map` calls it once "
            "per image.",
        },
        otherwise=(
            "There are 5 images and four epochs. What does the cache store: raw images, "
            "or the results of `decode`?"
        ),
    ),
    Variant(
        id="10.c",
        section="In which order do the parts of a data pipeline go?",
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
            "2": "2 would be right with the cache after the `map`: once per batch. But here it "
            "stores what is not yet decoded.",
            "30": "There are ten songs in three epochs. But they come in batches of 5, and "
            "`decode` takes a whole batch.",
            "10": "There are ten songs. But they come in batches, and the cache comes too "
            "early to store decoded songs.",
            "6": "The cache stores raw batches, so `decode` runs in every epoch: for 2 "
            "batches, three times.",
        },
        otherwise=(
            "There are 10 songs in batches of 5, and three epochs. Does the cache store "
            "the results of `decode`?"
        ),
    ),
    Variant(
        id="10.d",
        section="In which order do the parts of a data pipeline go?",
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
            "other noise": "`with_noise` would draw new noise. But in the second epoch it is "
            "not called, because it comes before the cache.",
            "no noise": "The noise comes from a function that runs only once per pixel. But it "
            "is added before the cache, so the cache stores it.",
            "the same noise": "The cache stores the results of the first epoch, including the "
            "noise, and repeats them. Put everything random after the cache.",
        },
    ),
    Variant(
        id="10.d",
        section="In which order do the parts of a data pipeline go?",
        program="""
songs = tf.data.Dataset.range(50).cache().shuffle(50, seed=3)

first, second = list(songs.as_numpy_iterator()), list(songs.as_numpy_iterator())
print("another order" if first != second else "the same order")
""",
        question="What does the second epoch have?",
        right="another order",
        options={
            "another order": "The cache stores the songs in their original order, and the "
            "shuffle comes after it. So each epoch gets a new order.",
            "the same order": "A seed fixes the random numbers. But each epoch still draws a "
            "new order; with `shuffle` before `cache` it would be the same.",
            "the order 0 to 49": "The cache repeats the songs in that order. But the shuffle "
            "comes after it.",
        },
    ),
)
