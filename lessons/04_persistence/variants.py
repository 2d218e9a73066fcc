"""The predictions and values of lesson 04 with other numbers, for when they come back."""

from course_utils.exercises import Variant

VARIANTS = (
    Variant(
        id="04.a",
        section="What happens with several targets?",
        program="""
light = tf.Variable(5.0)

with tf.GradientTape() as tape:
    growth = 4.0 * light
    heat = light**2

print(f"{tape.gradient([growth, heat], light)}")
""",
        right="14.0",
        options={
            "[4.0, 10.0]": "One slope per target would be natural. But `gradient` returns one "
            "number per source, and there is one source.",
            "4.0": "4 is the slope of only `growth`. But the second target is included too.",
            "40.0": "40 is 4 times 10, and slopes do multiply along a path. But these are two "
            "separate paths.",
            "14.0": "Several targets give the gradient of their sum: 4 from `growth` plus 10 "
            "from `heat`.",
        },
    ),
    Variant(
        id="04.a",
        section="What happens with several targets?",
        program="""
width, height = tf.Variable(2.0), tf.Variable(6.0)

with tf.GradientTape() as tape:
    area = width * height
    edge = 2 * width + 2 * height

slopes = tape.gradient([area, edge], [width, height])
print([float(slope) for slope in slopes])
""",
        right="[8.0, 4.0]",
        options={
            "[8.0, 4.0]": "For each source, the slopes of both targets are added: 6 + 2 for "
            "`width`, 2 + 2 for `height`.",
            "[6.0, 2.0]": "6 and 2 are the slopes of only `area`. But the second target is "
            "included too.",
            "[6.0, 2.0, 2.0, 2.0]": "One number per pair would tell more. But the result has "
            "the structure of the sources, and there are two.",
            "[8.0, 8.0]": "The sum 8 is right for `width`. But the slopes are added for each "
            "source separately, and for `height` they are 2 + 2.",
        },
    ),
    Variant(
        id="04.b",
        section="What happens with several targets?",
        program="""
positions = tf.Variable([1.0, 3.0, 4.0, 8.0])

with tf.GradientTape() as tape:
    steps = positions[1:] - positions[:-1]  # three of them

print(f"{tape.gradient(steps, positions)}")
""",
        right="[-1. 0. 0. 1.]",
        options={
            "a table of 3 by 4": "One row per step is what `jacobian` returns. But a gradient "
            "has the shape of its source: four numbers.",
            "[1. 1. 1.]": "Each of the three steps grows by 1 with its right end. But a "
            "gradient has one entry per position, and each step also has a left end.",
            "[2. 1. 4.]": (
                "[2. 1. 4.] are the steps themselves. But the question asks for their gradient."
            ),
            "[-1. 0. 0. 1.]": "The steps are summed first, and their sum is the last position "
            "minus the first. Each position in between is the end of one step and the "
            "start of the next, so it cancels.",
        },
    ),
    Variant(
        id="04.b",
        section="What happens with several targets?",
        program="""
marks = tf.Variable([1.0, 2.0, 4.0, 5.0])

with tf.GradientTape() as tape:
    centered = marks - tf.reduce_mean(marks)

print(f"{tape.gradient(centered, marks)}")
""",
        right="[0. 0. 0. 0.]",
        options={
            "[1. 1. 1. 1.]": "Each entry of `centered` does change with its own mark. But the "
            "mean changes too, and takes it away again in the sum.",
            "[0. 0. 0. 0.]": "The entries of the target are summed first, and centered numbers "
            "always sum to 0. To see how each entry changes, use `jacobian`.",
            "[0.75 0.75 0.75 0.75]": "0.75 is how each entry changes with its own mark, 1 - "
            "1/4. But each of the other three changes by -1/4, and all four are summed.",
        },
    ),
    Variant(
        id="04.c",
        section="Can I pause a tape?",
        program="""
speed = tf.Variable(4.0)

with tf.GradientTape() as tape:
    energy = 0.5 * speed**2
    with tape.stop_recording():
        print(f"for the log: {tape.gradient(energy, speed)}")
    power = energy * speed

print(f"{tape.gradient(power, speed)}")
""",
        right="8.0",
        options={
            "24.0": "24 is the correct derivative, 1.5 · 4². You would get it without the "
            "`gradient` call in the pause.",
            "an error": "A plain tape can be used only once, and this is the second call. But "
            "after the pause it starts a new recording, and this is the first call on that "
            "one.",
            "8.0": "The first `gradient` call used up the recording. The new one contains only "
            "the last product, in which `energy` is the constant 8.",
        },
    ),
    Variant(
        id="04.c",
        section="Can I pause a tape?",
        program="""
side = tf.Variable(2.0)

with tf.GradientTape(persistent=True) as tape:
    area = side**2
    with tape.stop_recording():
        print(f"for the log: {tape.gradient(area, side)}")
    volume = area * side

print(f"{tape.gradient(volume, side)}")
""",
        right="12.0",
        options={
            "4.0": "4 would be right for a plain tape, for which `area` is a constant after "
            "the first `gradient` call. But this tape is persistent.",
            "an error": "A plain tape refuses a second `gradient` call on one recording. But "
            "this tape is persistent.",
            "None": "You get `None` if no path is left. But `area` and `volume` are both "
            "computed from `side` while the tape records.",
            "12.0": "A persistent tape keeps its recording through a `gradient` call and a "
            "pause, so both paths are there: 3 · 2².",
        },
    ),
    Variant(
        id="04.1",
        section="What happens with several targets?",
        program="""
angle = tf.Variable(2.0)

with tf.GradientTape() as tape:
    parts = {"swing": angle**2, "drift": 5 * angle}

print(float(tape.gradient(parts, angle)))
""",
        right="9.0",
        options={
            "{'swing': 4.0, 'drift': 5.0}": "A dict of *sources* would give a dict. But here "
            "the dict contains the targets, and they are summed.",
            "9.0": "Several targets give the gradient of their sum: 4 + 5.",
            "20.0": "20 is 4 times 5, and slopes do multiply along a path. But these are two "
            "separate paths.",
        },
    ),
    Variant(
        id="04.1",
        section="What happens with several targets?",
        program="""
speed = tf.Variable(4.0)

with tf.GradientTape() as tape:
    losses = [3 * speed, speed**2, tf.constant(7.0)]

print(float(tape.gradient(losses, speed)))
""",
        right="11.0",
        options={
            "[3.0, 8.0, None]": "One result per target would be natural. But you get one "
            "number per source, however many targets there are.",
            "None": "The constant has no path, but it only adds nothing. The other two targets "
            "have a path.",
            "18.0": "18 is 3 + 8 + 7. But 7 is the value of the constant, not a slope.",
            "11.0": "The slopes of the two targets that have a path are summed: 3 + 8.",
        },
    ),
)
