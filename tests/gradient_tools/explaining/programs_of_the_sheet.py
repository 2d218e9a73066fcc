"""The programs around the lines of the cheat sheet, with places for the line and for its cure.

Where there is no place ``{instead}``, what to write takes the place of the line. A cause without
a program of its own has the usual one, in which x is what the line says of it.
"""

__all__ = ["broken", "mended"]

_USUAL = """
x = tf.Variable({x})
with tf.GradientTape() as tape:
    {line}
tape.gradient(y, x)
"""
_PROGRAMS = """
== NOT_WATCHED
x = tf.constant(3.0)
with tf.GradientTape() as tape:
    {instead}
    {line}
tape.gradient(y, x)
== ACCESS_NOT_WATCHED
x = tf.Variable(3.0)
{line}
    {instead}
    y = x**2
tape.gradient(y, x)
== WATCH_RESET
x = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    {line}
    {instead}
    y = x**2
tape.gradient(y, x)
== NOT_TRAINABLE
{line}
with tf.GradientTape() as tape:
    y = x**2
tape.gradient(y, x)
== WATCHED_LATE
x = tf.constant(3.0)
with tf.GradientTape() as tape:
    {instead}
    y = x**2
    {line}
tape.gradient(y, x)
== BEFORE_TAPE
x = tf.Variable(3.0)
{line}
with tf.GradientTape() as tape:
    {instead}
    y = tf.reduce_sum(2 * z)
tape.gradient(y, x)
== STORED_IN_NEW_VARIABLE
x = tf.Variable(3.0)
{line}
with tf.GradientTape() as tape:
    {instead}
    y = 2 * z
tape.gradient(y, x)
== KEPT_FROM_BEFORE
class Net:
    def __init__(self):
        self.x = tf.Variable(3.0)
        {line}
    def __call__(self):
        {instead}
        return 2 * self.kernel
net = Net()
with tf.GradientTape() as tape:
    y = net()
tape.gradient(y, net.x)
== AFTER_TAPE
x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    z = x**2
    {instead}
{line}
tape.gradient(y, x)
== RECORD_RESET
x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    {instead}
    z = x**2
    {line}
    y = 2 * z
tape.gradient(y, x)
== RECORDING_PAUSED
x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    {instead}
    with tape.stop_recording():
        {line}
        z = 1.0
tape.gradient(y, x)
== SWAPPED_ARGUMENTS
x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = x**2
{line}
== INTEGER_SOURCE
{line}
with tf.GradientTape() as tape:
    y = x * x
tape.gradient(y, x)
== ASSIGNED
x = tf.Variable(3.0)
v = tf.Variable(0.0)
with tf.GradientTape() as tape:
    {line}
    y = 2 * v
tape.gradient(y, x)
== REBOUND_TO_TENSOR
x = tf.Variable(3.0)
{line}
with tf.GradientTape() as tape:
    y = x**2
tape.gradient(y, x)
== REBOUND_IN_LOOP
@tf.function
def descend(x):
    for _ in tf.range(2):
        with tf.GradientTape() as tape:
            y = x**2
        gradient = tape.gradient(y, x)
        {line}
    return gradient
descend(tf.Variable(3.0))
== SOURCE_DERIVED
x = tf.Variable([3.0, 4.0])
with tf.GradientTape() as tape:
    y = tf.reduce_sum(x**2)
{line}
== COPY_FROM_BEFORE
x = tf.Variable([3.0, 4.0])
{line}
with tf.GradientTape() as tape:
    {instead}
    y = tf.reduce_sum(2 * z)
tape.gradient(y, x)
== EQUAL_VALUES
x = tf.Variable([3.0, 4.0])
values = []
{line}
with tf.GradientTape() as tape:
    {instead}
    y = tf.reduce_sum(2 * values[-1])
tape.gradient(y, x)
== NEW_VARIABLE
x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = x**2
{line}
tape.gradient(y, x)
== NEW_MODEL
def make(): return keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)])
model = make()
with tf.GradientTape(persistent=True) as tape:
    y = model(tf.ones((2, 1)))
    {line}
tape.gradient(y, model.trainable_variables)
== USED_ELSEWHERE
x = tf.Variable(3.0)
other = tf.Variable(2.0)
with tf.GradientTape() as tape:
    z = x**2
    {line}
tape.gradient(y, x)
== TWIN_MODEL
model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)])
clone = keras.models.clone_model(model)
data = tf.ones((2, 1))
with tf.GradientTape() as tape:
    y = model(data)
{line}
== OTHER_MODEL
first = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)])
second = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)])
data = tf.ones((2, 1))
with tf.GradientTape() as tape:
    y = first(data)
{line}
== NOT_RUN
x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = tf.constant(2.0)
    {line}
tape.gradient(y, x)
== UNCONNECTED
x = tf.Variable(3.0)
other = tf.Variable(2.0)
with tf.GradientTape() as tape:
    {line}
tape.gradient(y, x)
== OUTER_TAPE_MISSED
x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    with tf.GradientTape() as inner:
        z = x**3
    {instead}
{line}
tape.gradient(y, x)
== DATASET_IN_GRAPH
x = tf.Variable(3.0)
dataset = tf.data.Dataset.from_tensors(2.0)
{line}
def total():
    y = 0.0
    for each in dataset:
        y += x * each
    return y
with tf.GradientTape() as tape:
    y = total()
tape.gradient(y, x)
== ZERO_DERIVATIVE
{line}
with tf.GradientTape() as tape:
    y = x**2
tape.gradient(y, x)
== CLIPPED_PROBABILITIES
x, t = tf.Variable([[0.0, 40.0]]), tf.constant([[1.0, 0.0]])
with tf.GradientTape() as tape:
    {line}
tape.gradient(y, x)
== NO_SECOND_DERIVATIVE_OF_LABELS
x, w = tf.Variable([[0.5, 0.2, 0.3]]), tf.Variable([[1.0, 0.0, -1.0]])
with tf.GradientTape() as tape:
    with tf.GradientTape() as inner:
        {line}
    y = inner.gradient(z, w) ** 2
tape.gradient(y, x)
== ZERO_SECOND_DERIVATIVE
x = tf.Variable([-3.0, 2.0])
with tf.GradientTape() as tape:
    with tf.GradientTape() as inner:
        {line}
    y = inner.gradient(z, x)
tape.gradient(y, x)
== NO_SECOND_GRADIENT
x = tf.Variable([-3.0, 2.0])
with tf.GradientTape() as tape:
    with tf.GradientTape() as inner:
        {line}
    y = inner.gradient(z, x)
tape.gradient(y, x)
"""
_OWN = dict(each.split("\n", 1) for each in _PROGRAMS.split("\n== ")[1:])
_STAYS = {"NOT_WATCHED", "ACCESS_NOT_WATCHED", "WATCH_RESET"}  # and the cure is added


def broken(example):
    """Return the program that loses the gradient."""
    return _program(example, example.line, "")


def mended(example):
    """Return the same program with what to write instead."""
    if "{instead}" not in _OWN.get(example.cause.name, _USUAL):
        return _program(example, example.instead, "")
    return _program(example, example.line if example.cause.name in _STAYS else "", example.instead)


def _program(example, line, instead):
    x = "0.0" if example.line.endswith("# x = 0.0") else "3.0"
    frame = _OWN.get(example.cause.name, _USUAL)
    lines = frame.format(x=x, line=line, instead=instead).splitlines()
    return "\n".join(each for each in lines if each.strip())
