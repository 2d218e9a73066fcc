import numpy as np
import tensorflow as tf

from answers import ERROR, Answers, Wrong


def losses_of(error):
    return tf.reduce_mean(error**2), tf.reduce_mean(tf.abs(error))


def by_loss(answer, losses=losses_of, **options):
    """Return an answer to 04.2: a persistent tape, then ``answer(ask, squared, absolute)``."""

    def gradients_by_loss(w, x, y):
        with tf.GradientTape(persistent=True) as tape:
            squared, absolute = losses(x @ w - y)
        return answer(lambda target: tape.gradient(target, w), squared, absolute)

    return gradients_by_loss


def both(ask, squared, absolute):
    return {"squared": ask(squared), "absolute": ask(absolute)}


def by_loss_with_two_tapes(w, x, y):
    with tf.GradientTape() as one, tf.GradientTape() as other:
        squared, absolute = losses_of(y - x @ w)
    return dict(absolute=other.gradient(absolute, w), squared=one.gradient(squared, w))


def by_loss_by_hand(w, x, y):
    error = (x @ w - y).numpy()
    back = x.numpy().T / len(error)
    return {"squared": 2 * back @ error, "absolute": back @ np.sign(error)}


def by_jacobian(w, x, y):
    with tf.GradientTape() as tape:
        losses = tf.stack(losses_of(x @ w - y))
    table = tape.jacobian(losses, w)
    return {"squared": tf.Variable(table[0]), "absolute": tf.cast(table[1], tf.float64)}


def by_loss_with_a_plain_tape(w, x, y):
    with tf.GradientTape() as tape:
        squared, absolute = losses_of(x @ w - y)
    return {"squared": tape.gradient(squared, w), "absolute": tape.gradient(absolute, w)}


def by_loss_below_the_block(w, x, y):
    with tf.GradientTape(persistent=True) as tape:
        squared = tf.reduce_mean((x @ w - y) ** 2)
    absolute = tf.reduce_mean(tf.abs(x @ w - y))
    return {"squared": tape.gradient(squared, w), "absolute": tape.gradient(absolute, w)}


def by_loss_for_a_list_of_sources(w, x, y):
    with tf.GradientTape(persistent=True) as tape:
        squared, absolute = losses_of(x @ w - y)
    return {"squared": tape.gradient(squared, [w]), "absolute": tape.gradient(absolute, [w])}


def pair_of(answer):
    """Return an answer to 04.3: ``answer(ask, total, penalty, error)`` of a persistent tape."""

    def gradient_and_norm(w, x, y):
        with tf.GradientTape(persistent=True) as tape:
            penalty = 0.1 * tf.reduce_sum(w**2)
            error = tf.reduce_mean((x @ w - y) ** 2)
            loss = error + penalty
        return answer(lambda target: tape.gradient(target, w), loss, penalty, error)

    return gradient_and_norm


def pair_with_two_tapes(w, x, y):
    with tf.GradientTape() as tape:
        with tf.GradientTape() as tape_of_penalty:
            penalty = 0.1 * tf.reduce_sum(w**2)
        loss = tf.reduce_mean((x @ w - y) ** 2) + penalty
    return [tape.gradient(loss, w), tf.norm(tape_of_penalty.gradient(penalty, w))]


def pair_with_a_penalty_computed_again(w, x, y):
    with tf.GradientTape() as tape:
        with tape.stop_recording():
            norm = 0.2 * tf.norm(w)
        loss = tf.reduce_mean((x @ w - y) ** 2) + 0.1 * tf.reduce_sum(w**2)
    return tape.gradient(loss, w), norm


def pair_still_plain(w, x, y):
    with tf.GradientTape() as tape:
        penalty = tf.reduce_sum(w**2) / 10
        with tape.stop_recording():
            gradient = tape.gradient(penalty, w)
            norm = tf.norm(gradient)
        loss = tf.reduce_mean((x @ w - y) ** 2) + penalty
    return tape.gradient(loss, w), norm


def pair_with_the_log_last(w, x, y):
    with tf.GradientTape() as tape:
        penalty = 0.1 * tf.reduce_sum(w**2)
        loss = tf.reduce_mean((x @ w - y) ** 2) + penalty
        with tape.stop_recording():
            norm = tf.norm(tape.gradient(penalty, w))
    return tape.gradient(loss, w), norm


def pair_without_the_pause(w, x, y):
    with tf.GradientTape() as tape:
        penalty = 0.1 * tf.reduce_sum(w**2)
        norm = tf.norm(tape.gradient(penalty, w))
        loss = tf.reduce_mean((x @ w - y) ** 2) + penalty
    return tape.gradient(loss, w), norm


def table_of(rows, pick=tf.unstack, finish=tf.stack):
    """Return an answer to 04.4 that asks a persistent tape with ``rows(ask, entries)``."""

    def gradient_table(f, x):
        with tf.GradientTape(persistent=True) as tape:
            entries = pick(f(x))
        return finish(rows(lambda target: tape.gradient(target, x), entries))

    return gradient_table


def each_entry(ask, entries):
    return [ask(entry) for entry in entries]


def table_by_jacobian(f, x):
    with tf.GradientTape() as tape:
        y = f(x)
    return tape.jacobian(y, x)


def table_with_a_tape_for_each_row(f, x):
    table = np.zeros((len(f(x)), x.shape[0]))
    for i in range(len(table)):
        with tf.GradientTape() as tape:
            entry = f(x)[i]
        table[i] = tape.gradient(entry, x)
    return table


def table_asked_inside_the_block(f, x):
    with tf.GradientTape(persistent=True) as tape:
        y = f(x)
        return tf.stack([tape.gradient(y[i], x) for i in range(y.shape[0])])


def table_by_weights_for_the_entries(f, x):
    with tf.GradientTape(persistent=True) as tape:
        y = f(x)
    return np.array([tape.gradient(y, x, output_gradients=row) for row in tf.eye(len(y))])


def table_by_columns(f, x):
    columns = []
    for direction in tf.eye(x.shape[0]):
        with tf.autodiff.ForwardAccumulator(x, direction) as accumulator:
            y = f(x)
        columns.append(accumulator.jvp(y))
    return tf.Variable(tf.stack(columns, axis=1))


def table_with_a_plain_tape(f, x):
    with tf.GradientTape() as tape:
        entries = tf.unstack(f(x))
    return tf.stack([tape.gradient(entry, x) for entry in entries])


def rows_picked_too_late(ask, y):
    return [ask(y[i]) for i in range(len(y))]


def whole(y):
    return y


def table_above_the_block(f, x):
    y = f(x)
    with tf.GradientTape() as tape:
        pass
    return tape.gradient(y, x)


def table_of_three_rows(f, x):
    rows = []
    with tf.GradientTape(persistent=True) as tape:
        y = f(x)
        entries = [y[i % len(y)] for i in range(3)]
    for entry in entries:
        rows.append(tape.gradient(entry, x))
    return tf.stack(rows)


ANSWERS = {
    "04.1": Answers(
        right=[10, np.float32(10), tf.constant(10.0)],
        wrong=[
            Wrong({"fit": 4.0, "size": 6.0}, "You expect a dict"),
            Wrong([4.0, 6.0], "the structure of the sources"),
            Wrong((4, 6), "You expect several numbers"),
            Wrong([10.0], "The number is right, but it stands alone"),
            Wrong({"w": 10.0}, "The number is right, but it stands alone"),
            Wrong(4.0, "the slope of fit alone"),
            Wrong(6, "the slope of size alone"),
            Wrong(5.0, "not averaged"),
            Wrong(24.0, "the product"),
            Wrong(13.0, "the sum of the two values"),
            Wrong(12.0, "12 is 2w + 2w"),
            Wrong(9.0, "9 is not it"),
            Wrong(None, "there is a gradient"),
            Wrong("10", "with plain numbers"),
        ],
    ),
    "04.2": Answers(
        right=[by_loss_with_two_tapes, by_loss_by_hand, tf.function(by_loss(both)), by_jacobian],
        wrong=[
            Wrong(by_loss(lambda ask, *losses: ask(list(losses))), "targets are summed"),
            Wrong(
                by_loss(lambda ask, s, a: ask({"squared": s, "absolute": a})),
                "also in a list or a dict",
            ),
            Wrong(by_loss(lambda ask, s, a: both(ask, [a, s], [s, a])), "Under both names"),
            Wrong(by_loss(lambda ask, s, a: both(ask, s + a, a)), "Under squared stands None"),
            Wrong(by_loss(lambda ask, s, a: both(ask, a, s)), "under each other's name"),
            Wrong(by_loss(lambda ask, s, a: both(ask, s, s)), "Under absolute stands the gradient"),
            Wrong(by_loss(lambda ask, s, a: both(ask, a, a)), "gradient of the absolute loss, as"),
            Wrong(by_loss(lambda ask, s, a: both(ask, s, [s, a])), "with the absolute loss alone"),
            Wrong(by_loss(both, lambda e: (e**2, tf.abs(e))), "are added up, not averaged"),
            Wrong(
                by_loss(both, lambda e: (losses_of(e)[0], tf.abs(e))),
                "under absolute is too large by the number of examples",
            ),
            Wrong(
                by_loss(both, lambda e: (e**2, losses_of(e)[1])),
                "under squared is too large by the number of examples",
            ),
            Wrong(
                by_loss(lambda ask, s, a: both(lambda loss: ask(loss).numpy().tolist(), s, a)),
                "a list of 3 items, not one gradient.",
            ),
            Wrong(by_loss(both, lambda e: (losses_of(e)[0] / 2, losses_of(e)[1])), "batch of 5"),
            Wrong(by_loss(both, lambda e: (losses_of(e)[0], tf.reduce_mean(e))), "tf.abs(error)"),
            Wrong(by_loss(lambda ask, s, a: (ask(s), ask(a))), "a tuple of 2 items"),
            Wrong(by_loss(lambda ask, s, a: {"squared": ask(s)}), "The dict has squared; it needs"),
            Wrong(by_loss(lambda ask, s, a: {"squared": s, "absolute": a}), "as the loss itself"),
            Wrong(by_loss(lambda *_: None), "Your function returned None"),
            Wrong(by_loss_below_the_block, "Under absolute stands None"),
            Wrong(by_loss_for_a_list_of_sources, "Give w itself as the source"),
            Wrong(lambda w, x, y: {"squared": x, "absolute": x}, "an array of shape (5, 3)"),
            Wrong(by_loss_with_a_plain_tape, "A non-persistent GradientTape", ERROR),
        ],
    ),
    "04.3": Answers(
        right=[
            pair_with_two_tapes,
            pair_with_a_penalty_computed_again,
            pair_of(lambda ask, loss, penalty, _: (ask(loss), np.linalg.norm(ask(penalty)))),
            pair_of(lambda ask, _, penalty, error: (ask([error, penalty]), tf.norm(ask(penalty)))),
        ],
        wrong=[
            Wrong(pair_still_plain, "with the penalty as a constant"),
            Wrong(
                pair_of(lambda ask, t, p, e: (ask(e), tf.norm(ask(p)))),
                "Either your target lacks the penalty",
            ),
            Wrong(pair_with_the_log_last, "The first result is None"),
            Wrong(pair_without_the_pause, "A non-persistent GradientTape", ERROR),
            Wrong(
                pair_of(lambda ask, t, p, e: (ask(p), tf.norm(ask(p)))),
                "the gradient of the penalty alone",
            ),
            Wrong(pair_of(lambda ask, t, p, e: (ask([t, p]), tf.norm(ask(p)))), "counts twice"),
            Wrong(pair_of(lambda ask, t, p, e: (-ask(t), tf.norm(ask(p)))), "batch of 4 examples"),
            Wrong(pair_of(lambda ask, t, p, e: (tf.norm(ask(p)), ask(t))), "are swapped"),
            Wrong(pair_of(lambda ask, t, p, e: ask(t)), "Return two things"),
            Wrong(pair_of(lambda ask, t, p, e: (ask(t), None)), "The log still needs the norm"),
            Wrong(pair_of(lambda ask, t, p, e: (t, tf.norm(ask(p)))), "has the shape of w"),
            Wrong(pair_of(lambda ask, t, p, e: (ask(t), ask(p))), "Its norm, tf.norm, is one"),
            Wrong(pair_of(lambda ask, t, p, e: (ask(t), [1.0])), "The norm is one number"),
            Wrong(pair_of(lambda ask, t, p, e: (ask(t), tf.norm(ask(t)))), "of the whole gradient"),
            Wrong(pair_of(lambda ask, t, p, e: (ask(t), tf.norm(ask(e)))), "that of the error's"),
            Wrong(pair_of(lambda ask, t, p, e: (ask(t), tf.reduce_sum(ask(p) ** 2))), "is squared"),
            Wrong(pair_of(lambda ask, t, p, e: (ask(t), p)), "keep that line as given"),
            Wrong(pair_of(lambda *_: None), "Your function returned None"),
        ],
    ),
    "04.4": Answers(
        right=[
            table_by_jacobian,
            table_with_a_tape_for_each_row,
            tf.function(table_of(each_entry)),
            table_asked_inside_the_block,
            table_by_weights_for_the_entries,
            table_by_columns,
        ],
        wrong=[
            Wrong(table_of(lambda ask, y: ask(y), whole), "You returned one row, the sum"),
            Wrong(
                table_of(lambda ask, y: [ask(y) for _ in y], whole), "Every row is the sum of all"
            ),
            Wrong(table_of(each_entry, finish=lambda rows: tf.stack(rows, 1)), "is transposed"),
            Wrong(
                table_of(lambda ask, entries: [ask(entries[0]) for _ in entries]),
                "the gradient of entry 0",
            ),
            Wrong(lambda f, x: f(x), "This is f(x) itself"),
            Wrong(table_of(rows_picked_too_late, whole, list), "Every row is None"),
            Wrong(table_of(rows_picked_too_late, whole), "there is a None where a tensor", ERROR),
            Wrong(table_of(each_entry, finish=list), "The rows are right, but"),
            Wrong(
                table_of(each_entry, finish=lambda rows: tf.stack(rows).numpy().tolist()),
                "The rows are right, but",
            ),
            Wrong(table_of(each_entry, finish=lambda rows: tf.concat(rows, 0)), "yours has (6,)"),
            Wrong(table_of(lambda ask, y: [ask(y)], whole, list), "You returned a list of 1 item"),
            Wrong(table_above_the_block, "call f(x) inside the `with` block"),
            Wrong(table_of_three_rows, "yours has (3, 3)"),
            Wrong(
                table_of(each_entry, finish=lambda rows: tf.stack(rows[::-1])), "row 0 should be"
            ),
            Wrong(table_of(each_entry, finish=lambda rows: {"table": rows}), "a dict of 1 item"),
            Wrong(table_with_a_plain_tape, "A non-persistent GradientTape", ERROR),
        ],
    ),
}
