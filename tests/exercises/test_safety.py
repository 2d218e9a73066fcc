"""That an answer which runs in the process of a notebook leaves that alive and usable."""

import pytest
import tensorflow as tf

from course_utils.exercises.judging import kept_alive


def test_output_gradients_that_would_crash_tensorflow_are_refused():
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        y = [2 * x[0], 3 * x[1]]
    with kept_alive():
        with pytest.raises(ValueError, match="1 output gradients for 2 targets"):
            tape.gradient(y, x, output_gradients=tf.ones(2))
        found = tape.gradient(y, x, [tf.constant(1.0), tf.constant(10.0)])
    assert found.numpy().tolist() == [2.0, 30.0]


def test_what_a_stopped_call_of_a_model_has_left_goes():
    from keras.src.backend.common import global_state

    before = global_state.get_global_attribute("current_call_ctx")
    with kept_alive():  # a stop may meet Keras where it has entered a call and no `try`
        global_state.set_global_attribute("current_call_ctx", "that of a call with training=True")
    assert global_state.get_global_attribute("current_call_ctx") == before
