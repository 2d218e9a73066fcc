"""Programs as people post them, each with the cause and the line that the diagnosis must name.

A program takes the class of tape to use and returns what ``gradient`` returned. The line to name
carries the comment ``# <-``. ``keras`` and ``graph`` in a name tell the variants apart.
"""

import keras
import numpy as np
import tensorflow as tf

PROGRAMS = []
CORRECT = []


def program(cause, source=0):
    """Register a program whose explanation number ``source`` must be ``cause``."""

    def register(function):
        PROGRAMS.append((cause, source, function))
        return function

    return register


def correct(function):
    CORRECT.append(function)
    return function


def small_model(activation="tanh"):
    keras.utils.set_random_seed(7)
    return keras.Sequential(
        [
            keras.Input((3,)),
            keras.layers.Dense(4, activation=activation),
            keras.layers.Dense(1),
        ]
    )


X = np.linspace(-1.0, 1.0, 12, dtype="float32").reshape(4, 3)
Y = np.array([[0.0], [1.0], [0.0], [1.0]], dtype="float32")
mse = keras.losses.MeanSquaredError()


# not-watched


@program("not-watched")
def constant_without_watch(Tape):
    x = tf.constant(3.0)
    with Tape() as tape:
        y = x * x  # <-
    return tape.gradient(y, x)


@program("not-watched")
def keras_input_gradient_without_watch(Tape):
    model = small_model()
    image = tf.convert_to_tensor(X)
    with Tape() as tape:
        prediction = model(image)  # <-
        loss = mse(Y, prediction)
    return tape.gradient(loss, image)


@program("not-watched")
def graph_argument_without_watch(Tape):
    @tf.function
    def train_step(x):
        with Tape() as tape:
            y = tf.reduce_sum(tf.sin(x))  # <-
        return tape.gradient(y, x)

    return train_step(tf.constant([1.0, 2.0]))


@program("not-watched")
def variable_with_automatic_watching_off(Tape):
    w = tf.Variable(2.0)
    b = tf.Variable(1.0)
    with Tape(watch_accessed_variables=False) as tape:
        tape.watch(b)
        y = w * 3.0 + b  # <-
    return tape.gradient(y, [w, b])


@program("not-watched")
def keras_automatic_watching_off(Tape):
    model = small_model()
    with Tape(watch_accessed_variables=False) as tape:
        loss = mse(Y, model(X))  # <-
    return tape.gradient(loss, model.trainable_variables)


# not-trainable


@program("not-trainable")
def variable_not_trainable(Tape):
    x = tf.Variable(3.0, trainable=False)
    with Tape() as tape:
        y = x**2  # <-
    return tape.gradient(y, x)


@program("not-trainable")
def keras_moving_mean(Tape):
    layer = keras.layers.BatchNormalization()
    layer.build((None, 3))
    with Tape() as tape:
        hidden = layer(X, training=False)  # <-
        loss = tf.reduce_mean(hidden**2)
    return tape.gradient(loss, layer.non_trainable_variables)


@program("not-trainable", source=1)
def graph_variable_not_trainable(Tape):
    w = tf.Variable([1.0, 2.0])
    scale = tf.Variable(2.0, trainable=False, name="scale")

    @tf.function
    def step():
        with Tape() as tape:
            loss = tf.reduce_sum(w * scale)  # <-
        return tape.gradient(loss, [w, scale])

    return step()


# watched-late


@program("watched-late")
def watch_after_use(Tape):
    x = tf.constant(2.0)
    with Tape() as tape:
        y = x * x
        tape.watch(x)  # <-
    return tape.gradient(y, x)


@program("watched-late")
def keras_watch_after_forward(Tape):
    model = small_model()
    rescale = keras.layers.Rescaling(0.5)
    inputs = tf.constant(X)
    with Tape() as tape:
        scaled = rescale(inputs)
        tape.watch(inputs)  # <-
        loss = tf.reduce_mean(model(scaled))
    grad = tape.gradient(loss, inputs)
    return grad


@program("watched-late")
def graph_watch_after_use(Tape):
    @tf.function
    def f(x):
        with Tape() as t:
            y = tf.math.log(x)
            t.watch(x)  # <-
            z = y * 2.0
        return t.gradient(z, x)

    return f(tf.constant(4.0))


# outside-tape


@program("outside-tape")
def loss_after_the_block(Tape):
    w = tf.Variable(3.0)
    with Tape() as tape:
        y = w * 2.0
    loss = y**2  # <-
    return tape.gradient(loss, w)


@program("outside-tape")
def computed_before_the_block(Tape):
    w = tf.Variable([1.0, 2.0, 3.0])
    y = tf.reduce_sum(w * w)  # <-
    with Tape() as tape:
        loss = y * 2.0
    return tape.gradient(loss, w)


@program("outside-tape")
def keras_loss_after_the_block(Tape):
    model = small_model()
    with Tape() as tape:
        predictions = model(X, training=True)
    loss = mse(Y, predictions)  # <-
    gradients = tape.gradient(loss, model.trainable_variables)
    return gradients


@program("outside-tape")
def keras_forward_before_the_block(Tape):
    model = small_model()
    predictions = model(X)  # <-
    with Tape() as tape:
        loss = tf.reduce_mean(tf.square(predictions - Y))
    return tape.gradient(loss, model.trainable_weights)


@program("outside-tape")
def graph_loss_after_the_block(Tape):
    v = tf.Variable(1.5)

    @tf.function
    def step(x):
        with Tape() as tape:
            y = v * x
        loss = tf.square(y)  # <-
        return tape.gradient(loss, v)

    return step(tf.constant(2.0))


@program("outside-tape")
def graph_computed_before_the_block(Tape):
    v = tf.Variable(1.5)

    @tf.function
    def step(x):
        y = v * x  # <-
        with Tape() as tape:
            loss = y + 1.0
        return tape.gradient(loss, v)

    return step(tf.constant(2.0))


@program("outside-tape")
def reset_threw_it_away(Tape):
    w = tf.Variable(2.0)
    with Tape() as tape:
        y = w * w  # <-
        tape.reset()
        loss = y * 3.0
    return tape.gradient(loss, w)


# recording-paused


@program("recording-paused")
def inside_stop_recording(Tape):
    x = tf.Variable(2.0)
    with Tape() as tape:
        y = x * 3.0
        with tape.stop_recording():
            z = y * y  # <-
    return tape.gradient(z, x)


@program("recording-paused")
def inside_stop_recording_after_a_question(Tape):
    w = tf.Variable(5.0)
    with Tape(persistent=True) as tape:
        penalty = w * w
        with tape.stop_recording():
            tape.gradient(penalty, w)
            loss = 3.0 * penalty  # <-
    return tape.gradient(loss, w)


@program("recording-paused")
def keras_inside_stop_recording(Tape):
    model = small_model()
    with Tape(persistent=True) as tape:
        with tape.stop_recording():
            features = model(X)  # <-
        loss = mse(Y, features)
    return tape.gradient(loss, model.trainable_variables)


@program("recording-paused")
def graph_inside_stop_recording(Tape):
    w = tf.Variable([1.0, -1.0])

    @tf.function
    def step():
        with Tape() as tape:
            y = tf.exp(w)
            with tape.stop_recording():
                norm = tf.reduce_sum(y)  # <-
            loss = norm * 2.0
        return tape.gradient(loss, w)

    return step()


# left-tensorflow


@program("left-tensorflow")
def numpy_function_of_a_tensor(Tape):
    x = tf.Variable([1.0, 2.0])
    with Tape() as tape:
        y = np.sin(x)  # <-
        loss = tf.reduce_sum(y)
    return tape.gradient(loss, x)


@program("left-tensorflow")
def method_numpy(Tape):
    x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with Tape() as tape:
        x2 = x**2
        y = np.mean(x2, axis=0)  # <-
        y = tf.reduce_mean(y, axis=0)
    return tape.gradient(y, x)


@program("left-tensorflow")
def float_of_a_tensor(Tape):
    w = tf.Variable(2.0)
    with Tape() as tape:
        y = w * w
        loss = tf.constant(float(y) * 3.0)  # <-
    return tape.gradient(loss, w)


@program("left-tensorflow")
def numpy_handed_to_a_function_with_float(Tape):
    def square(a):
        return float(a) ** 2  # of a number, by then

    w = tf.Variable(2.0)
    with Tape() as tape:
        loss = tf.constant(3.0) * square(w.numpy())  # <-
    return tape.gradient(loss, w)


@program("left-tensorflow")
def tf_numpy_function(Tape):
    x = tf.Variable(2.0)
    with Tape() as tape:
        y = tf.numpy_function(np.square, [x], tf.float32)  # <-
        z = y + 1.0
    return tape.gradient(z, x)


@program("left-tensorflow")
def keras_predict(Tape):
    model = small_model()
    with Tape() as tape:
        prediction = model.predict(X, verbose=0)  # <-
        loss = tf.reduce_mean(tf.square(Y - prediction))
    return tape.gradient(loss, model.trainable_variables)


@program("left-tensorflow")
def keras_loss_function_in_numpy(Tape):
    model = small_model()

    def my_loss(y_true, y_pred):
        difference = y_true - y_pred.numpy()  # <-
        return tf.reduce_mean(difference**2)

    with Tape() as tape:
        loss = my_loss(Y, model(X))
    return tape.gradient(loss, model.trainable_variables)


@program("left-tensorflow")
def keras_layer_with_numpy(Tape):
    class Squash(keras.layers.Layer):
        def call(self, inputs):
            return tf.constant(np.tanh(inputs))  # <-

    dense = keras.layers.Dense(2)
    squash = Squash()
    with Tape() as tape:
        hidden = dense(X)
        out = squash(hidden)
        loss = tf.reduce_sum(out)
    return tape.gradient(loss, dense.trainable_variables)


@program("left-tensorflow")
def graph_numpy_function(Tape):
    w = tf.Variable([0.5, 1.5])

    @tf.function
    def step():
        with Tape() as tape:
            y = tf.numpy_function(lambda a: np.cumsum(a), [w * 2.0], tf.float32)  # <-
            loss = tf.reduce_sum(y)
        return tape.gradient(loss, w)

    return step()


@program("left-tensorflow")
def graph_then_numpy(Tape):
    w = tf.Variable([0.5, 1.5])

    @tf.function
    def forward():
        return w * 3.0

    with Tape() as tape:
        value = forward().numpy()  # <-
        loss = tf.reduce_sum(value * 2.0)
    return tape.gradient(loss, w)


# integer-dtype


@program("integer-dtype")
def integer_source(Tape):
    x = tf.constant(3)  # <-
    with Tape() as tape:
        tape.watch(x)
        y = x * x
    return tape.gradient(y, x)


@program("integer-dtype")
def cast_to_integer(Tape):
    x = tf.Variable(2.7)
    with Tape() as tape:
        steps = tf.cast(x * 2.0, tf.int32)  # <-
        y = tf.cast(steps, tf.float32) * 3.0
    return tape.gradient(y, x)


@program("integer-dtype")
def keras_labels_cast(Tape):
    model = small_model()
    with Tape() as tape:
        scores = model(X)
        labels = tf.cast(scores, tf.int64)  # <-
        loss = tf.reduce_mean(tf.cast(labels, tf.float32))
    return tape.gradient(loss, model.trainable_variables)


@program("integer-dtype")
def graph_cast_to_integer(Tape):
    w = tf.Variable([1.2, 3.4])

    @tf.function
    def step():
        with Tape() as tape:
            y = tf.reduce_sum(tf.cast(w, "int32"))  # <-
        return tape.gradient(y, w)

    return step()


@program("integer-dtype")
def integer_variable(Tape):
    count = tf.Variable(5)  # <-
    w = tf.Variable(1.0)
    with Tape() as tape:
        loss = w * tf.cast(count, tf.float32)
    return tape.gradient(loss, {"count": count, "w": w})


# no-gradient-op


@program("no-gradient-op")
def rounding(Tape):
    x = tf.Variable([0.2, 1.7])
    with Tape() as tape:
        y = tf.reduce_sum(tf.round(x) * 2.0)  # <-
    return tape.gradient(y, x)


@program("no-gradient-op")
def argmax_then_one_hot(Tape):
    logits = tf.Variable([[1.0, 2.0, 0.5]])
    with Tape() as tape:
        probabilities = tf.nn.softmax(logits)
        choice = tf.argmax(probabilities, axis=1)  # <-
        y = tf.reduce_sum(tf.one_hot(choice, 3) * [1.0, 2.0, 3.0])
    return tape.gradient(y, logits)


@program("no-gradient-op")
def keras_accuracy_as_loss(Tape):
    model = small_model()
    with Tape() as tape:
        out = model(X)
        correct = tf.cast(out > 0.5, tf.float32)  # <-
        loss = tf.reduce_mean(tf.abs(correct - Y))
    return tape.gradient(loss, model.trainable_variables)


@program("no-gradient-op")
def graph_floor(Tape):
    v = tf.Variable(2.6)

    @tf.function
    def quantise(x):
        return tf.floor(x * 4.0) / 4.0  # <-

    with Tape() as tape:
        y = quantise(v)
    return tape.gradient(y, v)


@program("no-gradient-op")
def graph_comparison_in_traced_tape(Tape):
    v = tf.Variable([2.6, -1.0])

    @tf.function
    def step():
        with Tape() as tape:
            mask = tf.where(v > 0.0, 1.0, 0.0)  # <-
            y = tf.reduce_sum(mask)
        return tape.gradient(y, v)

    return step()


# gradient-stopped


@program("gradient-stopped")
def stopped(Tape):
    x = tf.Variable(3.0)
    with Tape() as tape:
        y = tf.stop_gradient(x**2) + 1.0  # <-
    return tape.gradient(y, x)


@program("gradient-stopped")
def keras_target_network(Tape):
    online = small_model()
    target = small_model()
    with Tape() as tape:
        q = online(X)
        goal = keras.ops.stop_gradient(target(X))  # <-
        loss = mse(goal, q)
    return tape.gradient(loss, target.trainable_variables)


@program("gradient-stopped")
def graph_stopped(Tape):
    w = tf.Variable([1.0, 2.0])

    @tf.function
    def loss_fn():
        frozen = tf.stop_gradient(w)  # <-
        return tf.reduce_sum(frozen * frozen)

    with Tape() as tape:
        loss = loss_fn()
    return tape.gradient(loss, w)


# state-assignment


@program("state-assignment")
def assigned_to_a_variable(Tape):
    x = tf.Variable(3.0)
    state = tf.Variable(0.0)
    with Tape() as tape:
        state.assign(x * 2.0)  # <-
        y = state**2
    return tape.gradient(y, x)


@program("state-assignment")
def asked_of_the_variable_itself(Tape):
    x = tf.constant(3.0)
    state = tf.Variable(0.0)
    with Tape() as tape:
        tape.watch(x)
        for _ in range(3):
            state.assign(x + tf.sin(state))  # <-
    return tape.gradient(state, x)


@program("state-assignment")
def stored_in_a_new_variable(Tape):
    x = tf.constant(3.0)
    with Tape() as tape:
        tape.watch(x)
        state = tf.Variable(x**2)  # <-
    return tape.gradient(state, x)


@program("state-assignment")
def assign_add_in_a_loop(Tape):
    w = tf.Variable(0.5)
    total = tf.Variable(0.0, trainable=False)
    with Tape() as tape:
        for step in range(3):
            total.assign_add(w * step)  # <-
        loss = total * 1.0
    return tape.gradient(loss, w)


@program("state-assignment")
def keras_assigned_weights(Tape):
    hyper = keras.layers.Dense(3)
    main = keras.layers.Dense(1, use_bias=False)
    main.build((None, 3))
    with Tape() as tape:
        new_kernel = tf.reshape(tf.reduce_mean(hyper(X), axis=0), (3, 1))
        main.kernel.assign(new_kernel)  # <-
        loss = tf.reduce_mean(main(X) ** 2)
    return tape.gradient(loss, hyper.trainable_variables)


@program("state-assignment")
def graph_assigned(Tape):
    x = tf.Variable(1.0)
    memory = tf.Variable(0.0)

    @tf.function
    def step():
        with Tape() as tape:
            memory.assign(tf.sin(x))  # <-
            y = memory * 2.0
        return tape.gradient(y, x)

    return step()


# rebound-source


@program("rebound-source")
def x_equals_x_plus_one(Tape):
    x = tf.Variable(2.0)
    gradients = []
    for _ in range(2):
        with Tape() as tape:
            y = x + 1.0
        gradients.append(tape.gradient(y, x))
        x = x + 1.0  # <-
    return gradients


@program("rebound-source")
def minus_equals_update(Tape):
    w = tf.Variable([1.0, 2.0])
    gradients = []
    for _ in range(2):
        with Tape() as tape:
            loss = tf.reduce_sum(w**2)
        dw = tape.gradient(loss, w)
        gradients.append(dw)
        w = w - 0.1 * dw if dw is not None else w  # <-
    return gradients


@program("rebound-source")
def gradient_of_a_slice(Tape):
    x = tf.Variable([1.0, 2.0, 3.0])
    with Tape() as tape:
        y = tf.reduce_sum(x**2)
    return tape.gradient(y, x[0])  # <-


@program("rebound-source")
def copy_of_a_variable(Tape):
    v = tf.Variable(4.0)
    x = tf.convert_to_tensor(v)  # <-
    with Tape() as tape:
        tape.watch(x)
        y = tf.sqrt(x)
    return tape.gradient(y, v)


@program("rebound-source")
def keras_slice_of_the_input(Tape):
    model = small_model()
    x = tf.constant(X)
    with Tape() as tape:
        tape.watch(x)
        out = model(x)
    return tape.gradient(out, x[:, 0])  # <-


@program("rebound-source")
def keras_converted_weights(Tape):
    model = small_model()
    with Tape() as tape:
        loss = mse(Y, model(X))
    weights = [tf.convert_to_tensor(w) for w in model.trainable_variables]  # <-
    return tape.gradient(loss, weights)


@program("rebound-source")
def graph_reassigned_name(Tape):
    @tf.function
    def step(x):
        with Tape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(x**3)
            x = x * 2.0  # <-
        return tape.gradient(y, x)

    return step(tf.constant([1.0, 2.0]))


@program("rebound-source")
def graph_slice_of_the_source(Tape):
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def step():
        with Tape() as tape:
            y = tf.reduce_sum(v * v)
        return tape.gradient(y, v[0])  # <-

    return step()


@program("rebound-source")
def variable_made_again(Tape):
    w = tf.Variable(2.0)
    with Tape() as tape:
        loss = w**2
    w = tf.Variable(1.0)  # <-
    return tape.gradient(loss, w)


# unconnected


@program("unconnected")
def never_used(Tape):
    a = tf.Variable(2.0)
    b = tf.Variable(3.0)
    with Tape() as tape:
        y = b * b
    return tape.gradient(y, a)  # <-


@program("unconnected", source=0)
def used_for_something_else(Tape):
    a = tf.Variable(2.0)
    b = tf.Variable(3.0)
    with Tape() as tape:
        unused = a * 2.0  # <-
        y = b * b
    del unused
    return tape.gradient(y, [a, b])


@program("unconnected")
def keras_head_never_called(Tape):
    body = keras.layers.Dense(3)
    head = keras.layers.Dense(1)
    head.build((None, 3))
    with Tape() as tape:
        loss = tf.reduce_mean(body(X))
    return tape.gradient(loss, head.trainable_variables)  # <-


@program("unconnected", source=0)
def graph_never_used(Tape):
    a = tf.Variable(2.0)
    b = tf.Variable(3.0)

    @tf.function
    def step():
        with Tape() as tape:
            y = tf.exp(b)
        return tape.gradient(y, [a, b])  # <-

    return step()


# constant-target


@program("constant-target")
def a_constant(Tape):
    x = tf.Variable(2.0)
    with Tape() as tape:
        y = tf.constant(5.0)  # <-
    return tape.gradient(y, x)


@program("constant-target")
def keras_loss_of_the_data(Tape):
    model = small_model()
    with Tape() as tape:
        model(X)
        loss = tf.reduce_mean(tf.square(tf.constant(Y)))  # <-
    return tape.gradient(loss, model.trainable_variables)


@program("constant-target")
def graph_constant(Tape):
    x = tf.Variable(2.0)

    @tf.function
    def step(data):
        with Tape() as tape:
            y = tf.reduce_sum(data)  # <-
        return tape.gradient(y, x)

    return step(tf.ones(3))


# outer-tape-missed


@program("outer-tape-missed")
def first_derivative_after_both_blocks(Tape):
    x = tf.Variable(2.0)
    with Tape() as outer:
        with tf.GradientTape() as inner:
            y = x**3
    dy = inner.gradient(y, x)  # <-
    return outer.gradient(dy, x)


@program("outer-tape-missed")
def one_persistent_tape_for_both(Tape):
    x = tf.constant(2.0)
    with Tape(persistent=True) as tape:
        tape.watch(x)
        y = x**3
    dy_dx = tape.gradient(y, x)  # <-
    return tape.gradient(dy_dx, x)


@program("outer-tape-missed")
def keras_hessian_with_inner_outside(Tape):
    model = small_model()
    x = tf.constant(X)
    with Tape() as t2:
        t2.watch(x)
        with Tape() as t1:
            t1.watch(x)
            y = tf.reduce_sum(model(x))
    g = t1.gradient(y, x)  # <-
    return t2.gradient(g, x)


@program("outer-tape-missed")
def graph_first_derivative_outside(Tape):
    v = tf.Variable(1.5)

    @tf.function
    def second():
        with Tape() as outer:
            with Tape() as inner:
                y = tf.sin(v)
        first = inner.gradient(y, v)  # <-
        return outer.gradient(first, v)

    return second()


# graph-loop


def batches():
    return tf.data.Dataset.from_tensor_slices(X).batch(2)


@program("graph-loop")
def graph_loop_over_a_dataset(Tape):
    w = tf.Variable(2.0)
    dataset = batches()

    @tf.function
    def step():
        with Tape() as tape:
            loss = 0.0
            for batch in dataset:  # <-
                loss += tf.reduce_sum(batch * w)
        return tape.gradient(loss, w)

    return step()


@program("graph-loop")
def graph_loop_called_under_the_tape(Tape):
    w = tf.Variable([1.0, 2.0, 3.0])

    @tf.function
    def total_loss(dataset):
        total = tf.constant(0.0)
        for batch in dataset:  # <-
            total += tf.reduce_mean(batch * w)
        return total

    with Tape() as tape:
        loss = total_loss(batches())
    return tape.gradient(loss, w)


@program("graph-loop")
def keras_epoch_in_one_function(Tape):
    model = small_model()

    @tf.function
    def epoch(dataset):
        with Tape() as tape:
            loss = tf.constant(0.0)
            for x in dataset:  # <-
                loss = loss + tf.reduce_mean(model(x))
        return tape.gradient(loss, model.trainable_variables)

    return epoch(batches())


# zero-saturated


@program("zero-saturated")
def dead_relu(Tape):
    w = tf.Variable([-1.0, -2.0])
    with Tape() as tape:
        y = tf.reduce_sum(tf.nn.relu(w))  # <-
    return tape.gradient(y, w)


@program("zero-saturated")
def clipped(Tape):
    x = tf.constant([5.0, 7.0])
    with Tape() as tape:
        tape.watch(x)
        y = tf.clip_by_value(x, 0.0, 1.0)  # <-
        z = tf.reduce_sum(y * 3.0)
    return tape.gradient(z, x)


@program("zero-saturated")
def sign_of_a_variable(Tape):
    x = tf.Variable(0.7)
    with Tape() as tape:
        y = tf.sign(x) * 2.0  # <-
    return tape.gradient(y, x)


@program("zero-saturated")
def keras_dead_layer(Tape):
    model = small_model("relu")
    model.layers[0].bias.assign(-100.0 * tf.ones(4))
    with Tape() as tape:
        out = model(X)  # <-
        loss = mse(Y, out)
    return tape.gradient(loss, model.trainable_variables)


@program("zero-saturated")
def graph_dead_relu(Tape):
    w = tf.Variable([[-1.0, -2.0]])

    @tf.function
    def forward(x):
        h = x @ tf.transpose(w)
        h = tf.nn.relu(h)  # <-
        return tf.reduce_sum(h)

    with Tape() as tape:
        loss = forward(tf.ones((3, 2)))
    return tape.gradient(loss, w)


# zero-branch


@program("zero-branch")
def graph_branch_not_taken(Tape):
    a = tf.Variable(2.0)
    b = tf.Variable(3.0)

    @tf.function
    def f(x):
        if x > 0.0:  # <-
            y = a * x
        else:
            y = b * x
        return y

    with Tape() as tape:
        y = f(tf.constant(1.0))
    return tape.gradient(y, b)


@program("zero-branch")
def where_never_chosen(Tape):
    a = tf.Variable([1.0, 2.0])
    b = tf.Variable([3.0, 4.0])
    with Tape() as tape:
        y = tf.where(a > 0.0, a * 2.0, b * 3.0)  # <-
        loss = tf.reduce_sum(y)
    return tape.gradient(loss, b)


@program("zero-branch")
def keras_expert_not_chosen(Tape):
    expert = keras.layers.Dense(1)
    other = keras.layers.Dense(1)
    expert.build((None, 3))
    other.build((None, 3))

    @tf.function
    def mixture(x, flag):
        return tf.cond(flag, lambda: expert(x), lambda: other(x))  # <-

    with Tape() as tape:
        loss = tf.reduce_sum(mixture(tf.constant(X), tf.constant(True)))
    return tape.gradient(loss, other.trainable_variables)


# not-finite


@program("not-finite")
def norm_at_zero(Tape):
    x = tf.Variable([0.0, 0.0])
    with Tape() as tape:
        y = tf.norm(x)  # <-
    return tape.gradient(y, x)


@program("not-finite")
def square_root_at_zero(Tape):
    x = tf.Variable(0.0)
    with Tape() as tape:
        y = x**0.5  # <-
    return tape.gradient(y, x)


@program("not-finite")
def where_with_an_infinite_branch(Tape):
    a = tf.constant(10.0)
    with Tape() as tape:
        tape.watch(a)
        big = 10.0 ** tf.exp(a)  # <-
        y = tf.where(a < 15.0, a, big)
    return tape.gradient(y, a)


@program("not-finite")
def keras_log_of_zero(Tape):
    model = small_model()
    with Tape() as tape:
        p = tf.nn.relu(model(X) - 100.0)
        loss = -tf.reduce_mean(Y * tf.math.log(p))  # <-
    return tape.gradient(loss, model.trainable_variables)


@program("not-finite")
def graph_division_by_zero(Tape):
    w = tf.Variable([1.0, 0.0])

    @tf.function
    def f():
        return tf.reduce_sum(1.0 / w)  # <-

    with Tape() as tape:
        y = f()
    return tape.gradient(y, w)


@program("not-finite")
def keras_gradient_penalty_at_zero(Tape):
    critic = keras.layers.Dense(1, kernel_initializer="zeros")
    x = tf.constant(X)
    with Tape() as tape:
        with tf.GradientTape() as inner:
            inner.watch(x)
            score = critic(x)
        g = inner.gradient(score, x)
        norm = tf.sqrt(tf.reduce_sum(g**2, axis=1))  # <-
        penalty = tf.reduce_mean((norm - 1.0) ** 2)
    return tape.gradient(penalty, critic.kernel)


# correct programs


@correct
def square(Tape):
    x = tf.Variable(3.0)
    with Tape() as tape:
        y = x**2
    return tape.gradient(y, x)


@correct
def watched_constant(Tape):
    x = tf.constant([1.0, 2.0])
    with Tape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.round(x) + x)
    return tape.gradient(y, x)


@correct
def keras_training_steps(Tape):
    model = small_model()
    optimizer = keras.optimizers.Adam(0.01)
    for _ in range(3):
        with Tape() as tape:
            loss = mse(Y, model(X, training=True))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
    return [*gradients, *(tf.convert_to_tensor(v) for v in model.trainable_variables)]


@correct
def keras_numpy_only_for_printing(Tape):
    model = small_model()
    with Tape() as tape:
        loss = mse(Y, model(X))
        text = f"{loss.numpy():.3f} {float(loss):.2f}"
    assert text
    return tape.gradient(loss, {"weights": model.trainable_variables, "none": ()})


@correct
def graph_training_step(Tape):
    w = tf.Variable([1.0, 2.0])

    @tf.function
    def step(x):
        with Tape() as tape:
            loss = tf.reduce_sum((w * x - 1.0) ** 2)
        gradient = tape.gradient(loss, w)
        w.assign_sub(0.1 * gradient)
        return gradient

    return [step(tf.constant(3.0)), step(tf.constant(2.0))]


@correct
def second_derivative(Tape):
    x = tf.Variable(2.0)
    with Tape() as outer:
        with Tape() as inner:
            y = x**3
        dy = inner.gradient(y, x)
    return outer.gradient(dy, x)


@correct
def persistent_tape_many_gradients(Tape):
    x = tf.Variable([1.0, 2.0])
    with Tape(persistent=True) as tape:
        y = x * x
        z = tf.reduce_sum(y * y)
    return [tape.gradient(z, x), tape.gradient(y, x), tape.gradient(z, y)]


@correct
def jacobians(Tape):
    x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with Tape(persistent=True) as tape:
        y = tf.exp(x) @ [[1.0, 2.0], [3.0, 4.0]]
    return [tape.jacobian(y, x), tape.batch_jacobian(y, x)]


@correct
def custom_gradient(Tape):
    @tf.custom_gradient
    def straight_through(x):
        return tf.round(x), lambda dy: dy

    w = tf.Variable([0.4, 1.6])
    with Tape() as tape:
        y = tf.reduce_sum(straight_through(w) * 2.0)
    return tape.gradient(y, w)


@correct
def embedding_gradient(Tape):
    table = tf.Variable(tf.ones((5, 2)))
    with Tape() as tape:
        y = tf.reduce_sum(tf.gather(table, [0, 3]) ** 2)
    return tape.gradient(y, table)


@correct
def output_gradients_and_targets(Tape):
    a, b = tf.Variable(2.0), tf.Variable(3.0)
    with Tape() as tape:
        targets = [a * b, a**2]
    return tape.gradient(targets, [a, b], output_gradients=[tf.constant(2.0), tf.constant(1.0)])


@correct
def paused_part_used_as_a_number(Tape):
    x = tf.Variable(3.0)
    with Tape() as tape:
        y = x * x
        with tape.stop_recording():
            scale = y * 2.0
        z = y * scale
    return tape.gradient(z, x)
