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
            "[4.0, 10.0]": "A slope for each target would be natural. But `gradient` answers with one "
            "number for each source, and there is one source.",
            "4.0": "It is the slope of `growth` alone. The second target counts as well.",
            "40.0": "4 times 10: slopes multiply along a path. Here are two paths, side by side.",
            "14.0": "4 from `growth` and 10 from `heat`: several targets give the gradient of their "
            "sum.",
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
            "[8.0, 4.0]": "For each source the slopes of both targets are added: 6 + 2 for `width`, "
            "2 + 2 for `height`.",
            "[6.0, 2.0]": "These are the slopes of `area` alone.",
            "[6.0, 2.0, 2.0, 2.0]": "A number for each pair would tell more. But the answer has the "
            "structure of the sources, and there are two.",
            "[8.0, 8.0]": "Two targets and two sources might be paired up, or all summed. But what "
            "is summed are the targets, for each source by itself.",
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
            "a table of 3 by 4": "A row for each step is what `jacobian` gives. A gradient has the "
            "shape of its source: four numbers.",
            "[1. 1. 1.]": "Each step grows by 1 with its right end, and there are three steps. But a "
            "gradient has an entry for each position, and a step also has a left end.",
            "[2. 1. 4.]": "These are the steps themselves.",
            "[-1. 0. 0. 1.]": "The steps are summed first, and their sum is the last position minus "
            "the first. Each position between is the end of one step and the start of the next.",
        },
    ),
    Variant(
        id="04.b",
        section="What happens with several targets?",
        program="""
marks = tf.Variable([1.0, 2.0, 4.0, 5.0])

with tf.GradientTape() as tape:
    centred = marks - tf.reduce_mean(marks)

print(f"{tape.gradient(centred, marks)}")
""",
        right="[0. 0. 0. 0.]",
        options={
            "[1. 1. 1. 1.]": "`centred` moves with `marks`, entry by entry. But the mean moves, too, "
            "and takes it away again in the sum.",
            "[0. 0. 0. 0.]": "The entries of the target are summed first, and centred numbers always "
            "add up to 0. To see how each entry moves, ask for a `jacobian`.",
            "[0.75 0.75 0.75 0.75]": "It is how each entry moves with its own mark, 1 - 1/4. But each "
            "of the other three moves by -1/4, and all four are summed.",
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
            "24.0": "It is the truth, 1.5 · 4². It would come without the question in the pause.",
            "an error": "A plain tape answers once, and this is its second question. But after the "
            "pause it starts a new recording, and of that one it is the first.",
            "8.0": "The question used up the recording. The new one knows the last product alone: "
            "`energy` is a constant 8 there.",
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
            "4.0": "So it would be with a plain tape, for which `area` is a constant after the "
            "question.",
            "an error": "A plain tape refuses a second question about one recording. This one is "
            "persistent.",
            "None": "`area` and `volume` are both computed while the tape records, from `side` on.",
            "12.0": "A persistent tape keeps its recording through a question and a pause, so both "
            "paths are there: 3 · 2².",
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
            "{'swing': 4.0, 'drift': 5.0}": "A dict of sources would give a dict. Here the dict holds the targets, and they are summed.",
            "9.0": "Several targets give the gradient of their sum: 4 and 5.",
            "20.0": "Slopes multiply along a path. These are two paths, side by side.",
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
            "[3.0, 8.0, None]": "One number comes back for one source, whatever the number of targets.",
            "None": "The constant has no path, and adds nothing. The other two have.",
            "18.0": "3 and 8 are slopes. The constant is no slope, and 7 is not added.",
            "11.0": "The slopes of the two targets with a path, summed: 3 and 8.",
        },
    ),
)
