import inspect
import os
import random
import signal
import subprocess
import sys
import threading
import time

import keras
import numpy as np
import pytest
import tensorflow as tf

from course_utils.exercises.isolation import TimeLimitReached, state_kept, time_limit

LIMIT = 0.3  # seconds
SOON = 3.0


def count_for_ever():
    while True:
        pass


def sleep_for_ever():
    time.sleep(60)


def swallow_exceptions_for_ever():
    while True:
        try:
            time.sleep(0.01)
        except Exception:
            continue


@tf.function
def loop_in_a_graph():
    x = tf.constant(1.0)
    while x > 0.0:
        x = x + 1.0 - 1.0
    return x


@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot interrupt a sleep")
@pytest.mark.parametrize(
    "endless", [count_for_ever, sleep_for_ever, swallow_exceptions_for_ever, loop_in_a_graph]
)
def test_endless_code_is_stopped(endless):
    start = time.monotonic()
    with pytest.raises(TimeLimitReached), time_limit(LIMIT):
        endless()
    assert time.monotonic() - start < SOON
    assert float(tf.constant(1.0) + 1.0) == 2.0


def stand_still():
    x = tf.constant(1.0)
    while x > 0:
        x = x * 1.0


def go_on_and_on():
    x = 0.0
    while x < 1e9:
        x += 1e-6


@pytest.mark.skipif(sys.platform == "win32", reason="there is no signal to look at the values")
@pytest.mark.parametrize(
    ("loop", "stands_still", "waited"),
    [(stand_still, True, False), (go_on_and_on, False, False), (sleep_for_ever, True, True)],
)
def test_an_endless_loop_a_slow_one_and_a_wait_are_told_apart(loop, stands_still, waited):
    with pytest.raises(TimeLimitReached) as stop, time_limit(LIMIT, __file__):
        loop()
    assert (stop.value.stands_still, stop.value.waited) == (stands_still, waited)
    assert stop.value.line in inspect.getsource(loop)


def test_time_that_others_use_does_not_count():
    with time_limit(LIMIT):
        time.sleep(2 * LIMIT)


def test_the_stop_of_a_graph_is_no_error_of_the_learner():
    with pytest.raises(TimeLimitReached), time_limit(LIMIT):
        try:
            loop_in_a_graph()
        except Exception:
            pass


def test_endless_code_outside_the_main_thread_is_stopped():
    seen = []

    def run():
        try:
            with time_limit(LIMIT):
                count_for_ever()
        except TimeLimitReached:
            seen.append("stopped")

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(SOON)
    assert seen == ["stopped"]


def test_quick_code_is_left_alone():
    with time_limit(LIMIT):
        result = 1 + 1
    time.sleep(LIMIT + 0.1)
    assert result == 2


def draw_everything():
    """Draw from every generator that a learner may meet."""
    return [
        random.random(),
        np.random.normal(),
        float(tf.random.normal([])),
        float(tf.random.get_global_generator().normal([])),
        float(keras.random.normal(())),
        float(keras.initializers.GlorotUniform()((1, 1))[0, 0]),
    ]


def draw_with_a_seed():
    return float(tf.random.uniform([], seed=3))


def reseed():
    draw_everything()
    keras.utils.set_random_seed(3)
    tf.random.set_global_generator(tf.random.Generator.from_seed(1))
    draw_everything()


@pytest.mark.parametrize("draws_before", [0, 2])
@pytest.mark.parametrize(
    ("draw", "block"),
    [(draw_everything, draw_everything), (draw_everything, reseed), (draw_with_a_seed,) * 2],
)
def test_random_state_is_left_as_it_was(draw, block, draws_before):
    def sequence(interrupt):
        keras.utils.clear_session()
        keras.utils.set_random_seed(5)
        tf.random.set_global_generator(tf.random.Generator.from_seed(7))
        for _ in range(draws_before):
            draw()
        if interrupt:
            with state_kept(99):
                block()
        return [draw() for _ in range(2)]

    assert sequence(interrupt=True) == sequence(interrupt=False)


def test_random_state_is_left_as_it_was_after_an_exception():
    random.seed(4)
    state = random.getstate()
    with pytest.raises(ValueError), state_kept(1):
        random.random()
        raise ValueError
    assert random.getstate() == state


def test_the_working_folder_is_left_as_it_was(tmp_path):
    before = os.getcwd()
    with state_kept(1):
        os.chdir(tmp_path)
    assert os.getcwd() == before


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
def test_the_signals_of_others_are_put_back():
    def theirs(signal_number, frame):
        pass

    signals = (signal.SIGALRM, signal.SIGURG)
    handlers_before = [signal.signal(each, theirs) for each in signals]
    timer_before = signal.setitimer(signal.ITIMER_REAL, 100)
    try:
        with time_limit(LIMIT):
            pass
        assert [signal.getsignal(each) for each in signals] == [theirs, theirs]
        assert 90 < signal.getitimer(signal.ITIMER_REAL)[0] <= 100
    finally:
        signal.setitimer(signal.ITIMER_REAL, *timer_before)
        for each, handler in zip(signals, handlers_before, strict=True):
            signal.signal(each, handler)


def test_the_block_draws_by_its_seed():
    drawn = []
    for seed in (1, 1, 2):
        with state_kept(seed):
            drawn.append(float(tf.random.normal([])))
    assert drawn[0] != drawn[2]


@pytest.mark.nightly
def test_a_look_in_the_middle_of_a_product_of_matrices_harms_nothing():
    # In a process of its own: here pytest has given signals a stack of their own.
    program = """
import time
import tensorflow as tf
from course_utils.exercises import isolation

isolation._BETWEEN_LOOKS = 0.0005
a = tf.ones((300, 300))
with isolation.time_limit(60.0):
    end = time.process_time() + 4.0
    while time.process_time() < end:
        tf.matmul(a, a)
"""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONFAULTHANDLER"}
    ended = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True)
    assert ended.returncode == 0, ended.stderr.decode()[-2000:]
