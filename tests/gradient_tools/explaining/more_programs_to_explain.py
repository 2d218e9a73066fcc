"""More programs to explain, in the same form, from the questions that people ask most."""

import math

import keras
import numpy as np
import tensorflow as tf
from programs_to_explain import X, Y, correct, mse, program, small_model


@program("swapped-arguments")
def source_first(Tape):
    x = tf.Variable(3.0)
    with Tape() as tape:
        y = x**2
    return tape.gradient(x, y)  # <-


@program("swapped-arguments")
def keras_weights_first(Tape):
    model = small_model()
    with Tape() as tape:
        loss = mse(Y, model(X))
    return tape.gradient(model.trainable_variables, loss)  # <-


@program("swapped-arguments")
def graph_source_first(Tape):
    @tf.function
    def step(x):
        with Tape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(x**2)
        return tape.gradient(x, y)  # <-

    return step(tf.constant([1.0, 2.0]))


@program("state-assignment")
def wrapped_in_variable(Tape):
    w = tf.Variable(2.0)
    with Tape() as tape:
        y = tf.Variable(w * 3.0)  # <-
        loss = y**2
    return tape.gradient(loss, w)


@program("state-assignment")
def metric_as_loss(Tape):
    model = small_model()
    metric = keras.metrics.MeanSquaredError()
    with Tape() as tape:
        out = model(X)
        metric.update_state(Y, out)  # <-
        loss = metric.result()
    return tape.gradient(loss, model.trainable_variables)


@program("left-tensorflow")
def numpy_inside_py_function(Tape):
    def squared(a):
        return np.square(a.numpy())  # <-

    x = tf.Variable(3.0)
    with Tape() as tape:
        y = 2.0 * tf.py_function(squared, [x], tf.float32)
    return tape.gradient(y, x)


@program("left-tensorflow")
def keras_layer_around_a_py_function(Tape):
    clip = keras.layers.Lambda(
        lambda a: tf.py_function(
            func=lambda b: np.clip(b, -1.0, 1.0),  # <-
            inp=[a],
            Tout=tf.float32,
        )
    )
    image = tf.Variable([[0.5, 0.25]])
    with Tape() as tape:
        loss = tf.reduce_sum(clip(image))
    return tape.gradient(loss, image)


@program("left-tensorflow")
def graph_that_runs_a_py_function(Tape):
    def logarithm(a):
        return math.log(a) * tf.ones(())  # <-

    @tf.function
    def forward(x):
        return tf.py_function(logarithm, [x], tf.float32)

    w = tf.Variable(2.0)
    with Tape() as tape:
        y = 3.0 * forward(w)
    return tape.gradient(y, w)


@program("undetermined")
def zero_before_a_py_function(Tape):
    x = tf.Variable(-1.0)
    with Tape() as tape:
        y = tf.py_function(tf.exp, [tf.nn.relu(x)], tf.float32)  # <-
    return tape.gradient(y, x)


@program("left-tensorflow")
def array_of_tensors(Tape):
    a = tf.Variable(2.0)
    b = tf.Variable(3.0)
    with Tape() as tape:
        y1 = a * b
        y2 = a + b
        stacked = np.array([y1, y2])  # <-
        loss = tf.reduce_sum(stacked)
    return tape.gradient(loss, [a, b])


@program("left-tensorflow")
def total_numpy(Tape):
    w = tf.Variable([1.0, 2.0])
    with Tape() as tape:
        total = 0.0
        for t in [1.0, 2.0]:
            loss = tf.reduce_sum(w * t)
            total += loss.numpy()  # <-
        total = tf.convert_to_tensor(total)
    return tape.gradient(total, w)


@program("not-watched")
def second_order_inner_only(Tape):
    x = tf.constant(2.0)
    with Tape() as outer:
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x**3  # <-
        dy = inner.gradient(y, x)
    return outer.gradient(dy, x)


@program("not-watched")
def watch_thrown_away_by_reset(Tape):
    x = tf.constant(2.0)
    with Tape() as tape:
        tape.watch(x)
        tape.reset()
        y = x**3  # <-
    return tape.gradient(y, x)


@program("outside-tape")
def reset_before_the_question(Tape):
    w = tf.Variable(2.0)
    with Tape() as tape:
        y = w**3  # <-
        tape.reset()
    return tape.gradient(y, w)


@program("not-trainable")
def keras_moving_averages_of_a_frozen_model(Tape):
    model = keras.Sequential([keras.Input((3,)), keras.layers.BatchNormalization()])
    model.trainable = False
    with Tape() as tape:
        loss = mse(Y, model(X, training=True))  # <-
    return tape.gradient(loss, [each.value for each in model.layers[0].variables[2:]])


@program("unconnected")
def grad_cam_two_models(Tape):
    inp = keras.Input((3,))
    h = keras.layers.Dense(4)(inp)
    o = keras.layers.Dense(1)(h)
    model = keras.Model(inp, o)
    feat = keras.Model(inp, h)
    with Tape() as tape:
        features = feat(X)
        pred = model(X)
    return tape.gradient(pred, features)  # <-


@correct
def grad_cam(Tape):
    inp = keras.Input((3,))
    h = keras.layers.Dense(4, kernel_initializer="ones")(inp)
    o = keras.layers.Dense(1, kernel_initializer="ones")(h)
    model = keras.Model(inp, [h, o])
    with Tape() as tape:
        features, pred = model(X)
    return tape.gradient(pred, features)


@program("unconnected", source=2)
def bn_moving(Tape):
    bn = keras.layers.BatchNormalization()
    with Tape() as tape:
        loss = tf.reduce_sum(bn(X, training=True) ** 2 * X)  # <-
    return tape.gradient(loss, bn.variables)


@program("gradient-stopped")
def stop_in_while(Tape):
    w = tf.Variable(2.0)

    @tf.function
    def f():
        y = tf.constant(1.0)
        for _ in tf.range(3):
            y = y + tf.stop_gradient(y * w)  # <-
        return y

    with Tape() as tape:
        y = f()
    return tape.gradient(y, w)


@correct
def lstm(Tape):
    keras.utils.set_random_seed(3)
    model = keras.Sequential([keras.Input((5, 2)), keras.layers.LSTM(3), keras.layers.Dense(1)])
    x = np.linspace(0, 1, 20, dtype="float32").reshape(2, 5, 2)
    with Tape() as tape:
        loss = tf.reduce_sum(model(x) ** 2)
    return tape.gradient(loss, model.trainable_variables)


@correct
def graph_while(Tape):
    w = tf.Variable(2.0)

    @tf.function
    def f():
        ta = tf.TensorArray(tf.float32, 3)
        y = tf.constant(1.0)
        for i in tf.range(3):
            y = y * w
            ta = ta.write(i, y)
        return tf.reduce_sum(ta.stack())

    with Tape() as tape:
        y = f()
    return tape.gradient(y, w)


@correct
def conv_dropout(Tape):
    keras.utils.set_random_seed(3)
    model = keras.Sequential(
        [
            keras.Input((8, 8, 1)),
            keras.layers.Conv2D(2, 3, activation="relu"),
            keras.layers.MaxPool2D(),
            keras.layers.BatchNormalization(),
            keras.layers.Flatten(),
            keras.layers.Dropout(0.3),
            keras.layers.Dense(3),
        ]
    )
    x = np.random.default_rng(0).normal(size=(4, 8, 8, 1)).astype("float32")
    with Tape() as tape:
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)(
            np.array([0, 1, 2, 0]), model(x, training=True)
        )
    return tape.gradient(loss, model.trainable_variables)


@program("no-gradient-op")
def topk_indices(Tape):
    s = tf.Variable([3.0, 1.0, 2.0])
    with Tape() as tape:
        _, idx = tf.math.top_k(s, k=2)  # <-
        y = tf.reduce_sum(tf.gather(tf.constant([10.0, 20.0, 30.0]), idx))
    return tape.gradient(y, s)


@program("not-finite")
def manual_softmax(Tape):
    z = tf.Variable([1000.0, 0.0])
    with Tape() as tape:
        e = tf.exp(z)
        p = e / tf.reduce_sum(e)  # <-
        loss = p[0]
    return tape.gradient(loss, z)


@program("not-finite")
def acos(Tape):
    z = tf.Variable([1.0, 0.5])
    with Tape() as tape:
        loss = tf.reduce_sum(tf.acos(z))  # <-
    return tape.gradient(loss, z)


@program("not-finite")
def nan_in_data(Tape):
    w = tf.Variable([1.0, 2.0])
    data = tf.constant([np.nan, 1.0])
    with Tape() as tape:
        loss = tf.reduce_sum(w * data)  # <-
    return tape.gradient(loss, w)


@program("zero-derivative")
def square_at_zero(Tape):
    x = tf.Variable(0.0)
    with Tape() as tape:
        y = x**2  # <-
    return tape.gradient(y, x)


@program("zero-saturated")
def sigmoid_far(Tape):
    x = tf.Variable(200.0)
    with Tape() as tape:
        y = tf.sigmoid(x)  # <-
    return tape.gradient(y, x)


@program("zero-saturated")
def hinge_satisfied(Tape):
    w = tf.Variable([2.0, 3.0])
    with Tape() as tape:
        margins = 1.0 - w
        loss = tf.reduce_mean(tf.maximum(0.0, margins))  # <-
    return tape.gradient(loss, w)


@program("zero-derivative")
def mse_perfect_fit(Tape):
    w = tf.Variable(2.0)
    x = tf.constant([1.0, 2.0])
    with Tape() as tape:
        loss = tf.reduce_mean((w * x - 2.0 * x) ** 2)  # <-
    return tape.gradient(loss, w)


@program("no-gradient-op")
def unconnected_zero(Tape):
    x = tf.Variable(3.3)
    with Tape() as tape:
        y = tf.round(x)  # <-
    return tape.gradient(y, x, unconnected_gradients=tf.UnconnectedGradients.ZERO)


@program("outside-tape")
def jac_outside(Tape):
    x = tf.Variable([1.0, 2.0])
    with Tape() as tape:
        y = x * 2.0
    z = tf.exp(y)  # <-
    return tape.jacobian(z, x)


@program("no-gradient-op")
def jac_round(Tape):
    x = tf.Variable([[1.0, 2.0]])
    with Tape() as tape:
        y = tf.math.ceil(x)  # <-
    return tape.batch_jacobian(y, x, experimental_use_pfor=True)


@program("constant-target")
def second_derivative_of_linear(Tape):
    x = tf.Variable(2.0)
    with Tape() as outer:
        with tf.GradientTape() as inner:
            y = 3.0 * x
        dy = inner.gradient(y, x)  # <-
    return outer.gradient(dy, x)


@program("left-tensorflow")
def item_loss(Tape):
    model = small_model()
    with Tape() as tape:
        losses = [mse(Y, model(X)).numpy() for _ in range(2)]  # <-
        loss = tf.add_n([tf.constant(each) for each in losses])
    return tape.gradient(loss, model.trainable_variables)


@program("left-tensorflow")
def sklearn_like(Tape):
    w = tf.Variable(2.0)
    with Tape() as tape:
        y = w * 2.0
        loss = tf.constant(math.sqrt(y))  # <-
    return tape.gradient(loss, w)


@program("unconnected")
def typo_other_model(Tape):
    model = small_model()
    other = small_model()
    with Tape() as tape:
        loss = mse(Y, other(X))
    return tape.gradient(loss, model.trainable_variables)  # <-


@program("not-watched")
def in_method(Tape):
    class Net:
        def __init__(self):
            self.w = tf.Variable(2.0)

        def loss(self, x):
            return self.w * x  # <-

    net = Net()
    x = tf.constant(3.0)
    with Tape() as tape:
        loss = net.loss(x)
    return tape.gradient(loss, x)


@program("outside-tape")
def self_attr(Tape):
    class Net:
        def __init__(self):
            self.w = tf.Variable(2.0)

        def step(self):
            self.y = self.w * 2.0  # <-
            with Tape() as tape:
                loss = self.y**2
            return tape.gradient(loss, self.w)

    return Net().step()


@program("rebound-source")
def self_rebound(Tape):
    class Net:
        def __init__(self):
            self.w = tf.Variable(2.0)

    net = Net()
    for _ in range(2):
        with Tape() as tape:
            loss = net.w**2
        g = tape.gradient(loss, net.w)
        if g is not None:
            net.w = net.w - 0.1 * g  # <-
    return g


@program("rebound-source")
def convert_in_gradient(Tape):
    v = tf.Variable([4.0, 1.0])
    with Tape() as tape:
        y = tf.reduce_sum(v**2)
    return tape.gradient(y, tf.convert_to_tensor(v))  # <-


@program("not-trainable")
def keras_variable(Tape):
    v = keras.Variable(3.0, trainable=False)
    with Tape() as tape:
        y = v * 2.0  # <-
    return tape.gradient(y, v)


@program("recording-paused")
def paused_persistent_graph(Tape):
    model = small_model()

    @tf.function
    def step(x):
        with Tape() as tape:
            with tape.stop_recording():
                h = model(x)  # <-
            loss = tf.reduce_mean(h)
        return tape.gradient(loss, model.trainable_variables)

    return step(tf.constant(X))


@program("integer-dtype")
def numpy_int(Tape):
    x = tf.Variable(np.array([1, 2, 3]))  # <-
    with Tape() as tape:
        y = tf.reduce_sum(tf.cast(x, tf.float32) ** 2)
    return tape.gradient(y, x)


@program("zero-branch")
def keras_branch_of_a_model(Tape):
    class M(keras.Model):
        def __init__(self):
            super().__init__()
            self.a = keras.layers.Dense(1)
            self.b = keras.layers.Dense(1)
            self.a.build((None, 3))
            self.b.build((None, 3))

        @tf.function
        def call(self, x):
            if tf.reduce_sum(x) > 100.0:  # <-
                return self.a(x)
            else:
                return self.b(x)

    m = M()
    with Tape() as tape:
        loss = tf.reduce_sum(m(tf.constant(X)))
    return tape.gradient(loss, m.a.trainable_variables)


@program("state-assignment")
def wrapped_in_variable2(Tape):
    w = tf.Variable([2.0, 1.0])
    with Tape() as tape:
        y = tf.Variable(tf.exp(w))  # <-
        loss = tf.reduce_sum(tf.nn.relu(y))
    return tape.gradient(loss, w)


@program("zero-saturated")
def dead_relu_of_a_variable(Tape):
    w = tf.Variable([-2.0, -1.0])
    b = tf.Variable([0.0, 0.0])
    with Tape() as tape:
        loss = tf.reduce_sum(tf.nn.relu(w))  # <-
        loss += tf.reduce_sum(tf.exp(b))
    return tape.gradient(loss, [w, b])


@correct
def saliency(Tape):
    model = small_model()
    x = tf.Variable(X)
    with Tape() as tape:
        s = tf.reduce_max(model(x), axis=1)
    return tape.gradient(s, x)


@program("gradient-stopped")
def frozen_variable_hidden(Tape):
    w = tf.Variable([1.0, 2.0])
    with Tape() as tape:
        y = tf.stop_gradient(w)  # <-
        loss = tf.reduce_sum(y * y)
    return tape.gradient(loss, w)


@program("outside-tape")
def hidden_outside(Tape):
    w = tf.Variable([1.0, 2.0])
    with Tape() as tape:
        pass
    y = tf.exp(w)  # <-
    return tape.gradient(y, w)


@program("rebound-source")
def copy_and_used(Tape):
    v = tf.Variable([4.0, 2.0])
    x = v.read_value()  # <-
    with Tape() as tape:
        tape.watch(x)
        print_me = v * 2.0
        y = tf.reduce_sum(tf.sqrt(x))
    assert print_me is not None
    return tape.gradient(y, v)


@program("rebound-source")
def restored_weights(Tape):
    model = small_model()
    with Tape() as tape:
        loss = mse(Y, model(X))
    model = small_model()  # <-
    return tape.gradient(loss, model.trainable_variables)


@program("not-watched")
def adversarial_fgsm(Tape):
    model = small_model()

    def perturb(model, image, label):
        with Tape() as tape:
            prediction = model(image)  # <-
            loss = mse(label, prediction)
        gradient = tape.gradient(loss, image)
        return gradient

    return perturb(model, tf.constant(X), tf.constant(Y))


@program("left-tensorflow")
def convert_numpy_targets(Tape):
    model = small_model()
    with Tape() as tape:
        y_pred = model(X)
        y_np = y_pred.numpy()  # <-
        y_np[y_np < 0] = 0
        loss = tf.reduce_mean((tf.convert_to_tensor(y_np) - Y) ** 2)
    return tape.gradient(loss, model.trainable_variables)


@program("unconnected")
def multi_output_head(Tape):
    inp = keras.Input((3,))
    h = keras.layers.Dense(4)(inp)
    a = keras.layers.Dense(1, name="a")(h)
    b = keras.layers.Dense(1, name="b")(h)
    model = keras.Model(inp, [a, b])
    with Tape() as tape:
        out_a, out_b = model(X)  # <-
        loss = mse(Y, out_a)
    return tape.gradient(loss, model.trainable_variables)


@program("outer-tape-missed")
def pinn_second(Tape):
    model = small_model()
    x = tf.constant(X)
    with Tape(persistent=True) as tape:
        tape.watch(x)
        u = model(x)
    u_x = tape.gradient(u, x)  # <-
    u_xx = tape.gradient(u_x, x)
    return u_xx


@program("no-gradient-op")
def sampled_action(Tape):
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(3)])
    with Tape() as tape:
        logits = model(X)
        action = tf.random.categorical(logits, 1)  # <-
        loss = tf.reduce_mean(tf.cast(action, tf.float32))
    return tape.gradient(loss, model.trainable_variables)


@program("outside-tape")
def after_a_block_with_normalization(Tape):
    model = keras.Sequential(
        [keras.Input((3,)), keras.layers.Dense(4), keras.layers.BatchNormalization()]
    )
    with Tape() as tape:
        loss = tf.reduce_mean(model(X, training=True) ** 2)
    doubled = 2 * loss  # <-
    return tape.gradient(doubled, model.layers[0].kernel)


@program("unconnected", source=1)
def loop_without_a_pass(Tape):
    a, b = tf.Variable(1.0), tf.Variable(0.0)
    with Tape() as tape:
        y = a
        while tf.abs(a + b - y) > 1e-6:
            y = a + b * tf.sin(y)  # <-
    return tape.gradient(y, [a, b])


@program("unconnected", source=1)
def loop_left_at_once(Tape):
    a, b = tf.Variable(1.0), tf.Variable(0.0)
    with Tape() as tape:
        y = a
        for _ in range(9):
            new = a + b * tf.sin(y)
            if abs(new - y) < 1e-6:
                break
            y = new  # <-
    return tape.gradient(y, [a, b])


@program("state-assignment")
def variable_made_of_the_prediction(Tape):
    w = tf.Variable(2.0)
    y_hat = tf.Variable(w * X)  # <-
    with Tape() as tape:
        loss = tf.reduce_mean(y_hat**2)
    return tape.gradient(loss, w)


@program("outside-tape")
def of_the_block_before(Tape):
    w = tf.Variable(2.0)
    with Tape() as tape:
        y = w**2  # <-
    with Tape() as tape:
        z = 2 * y
    return tape.gradient(z, w)


@program("rebound-source")
def stored_again_under_its_key(Tape):
    params = {"w": tf.Variable(2.0)}
    for _ in range(2):
        with Tape() as tape:
            loss = params["w"] ** 2
        gradients = tape.gradient(loss, params)
        if gradients["w"] is not None:
            params["w"] = params["w"] - 0.1 * gradients["w"]  # <-
    return gradients


@program("unconnected")
def lambda_from_before_the_block(Tape):
    a, b = tf.Variable(1.0), tf.Variable(2.0)
    losses = lambda: (a * b, a**2)  # noqa: E731  # <-
    with Tape() as tape:
        first, second = losses()
    return tape.gradient(second, b)


@program("outside-tape")
def chosen_of_a_dict_and_the_prediction_above(Tape):
    params = {"a": tf.Variable(2.0), "b": tf.Variable(1.0)}
    prediction = params["a"] * X + params["b"]  # <-
    with Tape(watch_accessed_variables=False) as tape:
        chosen = {name: params[name] for name in ["a", "b"]}
        tape.watch(chosen)
        loss = mse(Y, prediction)
    return tape.gradient(loss, chosen)


@program("left-tensorflow")
def chosen_of_a_dict_and_numbers_taken_out(Tape):
    params = {"a": tf.Variable(2.0), "b": tf.Variable(1.0)}
    with Tape(watch_accessed_variables=False) as tape:
        chosen = {name: params[name] for name in ["a", "b"]}
        tape.watch(chosen)
        loss = mse(Y, params["a"].numpy() * X + params["b"].numpy())  # <-
    return tape.gradient(loss, chosen)


@program("not-watched")
def an_argument_made_a_constant(Tape):
    def slope(x):
        x = tf.constant(x)
        with Tape() as tape:
            y = x**2  # <-
        return tape.gradient(y, x)

    return slope(tf.constant(3.0))


@program("outside-tape")
def weighted_below_with_weights_closed_in_the_block(Tape):
    w = tf.Variable([1.0, 2.0])
    with Tape() as tape:
        losses = w**2
        weights = tf.stop_gradient(tf.nn.softmax(-losses))
    loss = tf.reduce_sum(weights * losses)  # <-
    return tape.gradient(loss, w)
