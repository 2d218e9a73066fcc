"""Why a gradient is zero: second derivatives, and how many inputs of an operation are flat."""

import keras
import pytest
import tensorflow as tf

from gradient_tools import ExplainingTape, explain_gradients


def second_derivative(curve, x):
    """Return the explanation of the second derivative of ``curve`` at x."""
    x = tf.constant(x)
    with ExplainingTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_sum(curve(x))
        slope = inner.gradient(y, x)
    outer.gradient(slope, x)
    return outer.explain()


@pytest.mark.parametrize(
    ("curve", "operation", "remedy"),
    [
        (lambda x: 3.0 * tf.nn.relu(x), "Relu", "tf.tanh(x)"),
        (lambda x: tf.nn.leaky_relu(x, 0.3) + x, "LeakyRelu", "tf.tanh(x)"),
        (lambda x: tf.nn.relu6(x * 2.0), "Relu6", "tf.tanh(x)"),
        (lambda x: tf.abs(x - 0.5), "Abs", "tf.sqrt(x**2 + 1e-6)"),
        (lambda x: keras.activations.hard_sigmoid(x), "Relu6", "tf.tanh(x)"),
        (lambda x: tf.nn.max_pool1d(x[None, :, None], 2, 1, "VALID"), "MaxPool", "# use a smooth"),
    ],
)
def test_a_second_derivative_of_zero_names_the_piecewise_linear_operation(curve, operation, remedy):
    (found,) = second_derivative(curve, [-1.0, 0.3, 2.0])
    assert (found.gradient, found.cause) == ("zero", "zero-derivative")
    assert found.where.operation == operation and "lambda x" in found.where.text
    assert found.message.startswith(f"{operation} is piecewise linear")
    assert found.remedy.startswith(remedy)
    assert "Ruled out" not in found.message and "another value" not in found.remedy


@pytest.mark.parametrize(
    ("curve", "operation", "remedy"),
    [
        (lambda x: 3.0 * tf.maximum(x, 0.1), "Maximum", "b + tf.nn.softplus(a - b)"),
        (lambda x: tf.minimum(2.0 * x, 0.1), "Minimum", "a - tf.nn.softplus(a - b)"),
        (lambda x: tf.where(x > 0.0, x, 0.2 * x), "tf.where", "# use a smooth function"),
    ],
)
def test_a_comparison_of_the_first_derivative_is_never_the_remedy(curve, operation, remedy):
    (found,) = second_derivative(curve, [-1.0, 0.3, 2.0])
    assert (found.gradient, found.cause) == ("None", "no-gradient-op")
    assert found.where.operation == operation and "lambda x" in found.where.text
    assert found.remedy.startswith(remedy) and "comparison" not in found.remedy


def test_a_smooth_curve_has_a_second_derivative():
    assert not second_derivative(lambda x: tf.nn.softplus(tf.nn.relu(x) + x**2), [-1.0, 2.0])
    assert not second_derivative(lambda x: tf.nn.relu(x) ** 2, [-1.0, 2.0])


def test_weights_of_a_curvature_that_is_zero_share_the_cause():
    keras.utils.set_random_seed(1)
    dense = keras.layers.Dense
    net = keras.Sequential([keras.Input((2,)), dense(8, "relu"), dense(4, "leaky_relu"), dense(1)])
    x = tf.random.stateless_normal((6, 2), (1, 2))
    with ExplainingTape() as tape:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                height = net(x)
            slope = inner.gradient(height, x)
        bend = outer.gradient(slope, x)
        energy = tf.reduce_sum((bend + 1.0) ** 2)
    tape.gradient(energy, net.trainable_variables)
    zero = [each for each in tape.explain() if each.gradient == "zero"]
    assert len(zero) >= 3
    assert {each.where.operation for each in zero} <= {"Relu", "LeakyRelu"}
    assert {each.where.text for each in zero} == {"height = net(x)"}


def test_a_penalty_on_the_slope_of_a_called_function_names_its_relu():
    w = tf.Variable([[1.0, -2.0], [0.5, 1.0]])

    @tf.function
    def score(x):
        return tf.reduce_sum(tf.nn.relu(x @ w))

    x = tf.constant([[1.0, 2.0]])
    with ExplainingTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = score(x)
        penalty = tf.reduce_sum(inner.gradient(y, x) ** 2)
    outer.gradient(penalty, x)
    (found,) = outer.explain()
    assert found.where.operation == "Relu" and "tf.nn.relu(x @ w)" in found.where.text


@pytest.mark.parametrize("loss", ["fused", "keras"])
def test_learned_labels_of_the_fused_cross_entropy(loss):
    mix = tf.Variable([0.2, 0.3, 0.5])
    w = tf.Variable([[0.1, 0.0, -0.4]])
    rows = tf.eye(3)
    keras_loss = keras.losses.CategoricalCrossentropy(from_logits=True)
    with ExplainingTape() as outer:
        soft = mix[None] @ rows
        with tf.GradientTape() as inner:
            if loss == "keras":
                cost = keras_loss(soft, w)
            else:
                cost = tf.nn.softmax_cross_entropy_with_logits(soft, w * 2.0)
        step = w - inner.gradient(cost, w)
        quality = tf.reduce_sum(step**2)
    assert not outer.gradient(quality, mix).numpy().any()
    (found,) = outer.explain()
    assert found.where.operation == "SoftmaxCrossEntropyWithLogits"
    assert "no second derivative with respect to its labels" in found.message
    names = "y * tf.nn.log_softmax(z)" if loss == "keras" else "soft * tf.nn.log_softmax(w * 2.0)"
    assert found.remedy.startswith(f"-tf.reduce_sum({names}, axis=-1)")


def test_every_input_means_every_one():
    def message(f, x):
        (found,) = explain_gradients(f, x)
        return found.message

    mask = tf.constant([0.0, 1.0, 1.0])
    assert "every input was zero or negative" in message(tf.nn.relu, tf.constant([-1.0, -2.0]))
    assert "its input was zero or negative" in message(tf.nn.relu, tf.constant(-1.0))
    some = message(lambda x: tf.nn.relu(x) * mask, tf.constant([5.0, -1.0, -2.0]))
    assert "2 of 3 inputs were zero or negative, and the gradient at the other is 0" in some
    assert "from -2 to -1" in some
    one = message(lambda x: tf.clip_by_value(x, -1.0, 1.0)[0], tf.constant([5.0, 0.5, 0.0]))
    assert "1 of 3 inputs was beyond the limit" in one and "others is 0" in one
    far = message(lambda x: tf.sigmoid(x)[:1], tf.constant([-200.0, 0.0]))
    assert "1 of 2 inputs was so far from 0" in far


def test_a_softmax_is_called_saturated_only_if_it_is():
    (sum_of_all,) = explain_gradients(
        lambda x: tf.reduce_sum(tf.nn.softmax(x)), tf.constant([[1.0, 1.0]])
    )
    assert "always sums to 1" in sum_of_all.message
    (saturated,) = explain_gradients(lambda x: tf.nn.softmax(x)[0, 0], tf.constant([[200.0, 1.0]]))
    assert "has all of the probability" in saturated.message


@pytest.mark.parametrize(
    "loss",
    [
        lambda z: keras.losses.BinaryCrossentropy()(tf.ones((2, 1)), tf.sigmoid(z)),
        lambda z: keras.losses.BinaryCrossentropy()(tf.zeros((2, 1)), tf.sigmoid(-z)),
        lambda z: keras.losses.SparseCategoricalCrossentropy()(
            tf.constant([0, 0]), tf.nn.softmax(tf.concat([z, 0.0 * z], 1))
        ),
    ],
)
def test_probabilities_that_keras_clips_need_logits(loss):
    (found,) = explain_gradients(loss, tf.constant([[-30.0], [-40.0]]))
    assert found.message.startswith("Keras clips probabilities to the range from 1e-07")
    assert found.remedy.startswith("from_logits=True")


def test_a_clip_that_the_user_wrote_is_not_blamed_on_keras():
    (found,) = explain_gradients(
        lambda z: tf.math.log(tf.clip_by_value(tf.sigmoid(z), 1e-7, 1 - 1e-7)), tf.constant(-30.0)
    )
    assert "Keras" not in found.message and "from_logits" not in found.remedy


def test_another_value_is_not_promised_to_help():
    (times_zero,) = explain_gradients(
        lambda x: x * tf.constant([0.0, 0.0]), tf.constant([1.0, 2.0])
    )
    (at_zero,) = explain_gradients(lambda x: x**2, tf.constant(0.0))
    for found in (times_zero, at_zero):
        assert found.remedy.startswith("# compare with the gradient at another value of x: is it 0")
