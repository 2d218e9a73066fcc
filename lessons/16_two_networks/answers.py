"""Answers to lesson 16's exercises: other right ones, and wrong ones that no list holds."""

import keras
import numpy as np
import tensorflow as tf


def logits(generator, critic, real, noise, modes=(True, True, True)):
    fake = generator(noise, training=modes[0])
    return critic(real, training=modes[1]), critic(fake, training=modes[2])


def step(model, optimizer, loss):
    """Move one model down loss()."""
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch([v.value for v in model.trainable_variables])
        value = loss()
    values = [v.value for v in model.trainable_variables]
    optimizer.apply(tape.gradient(value, values), model.trainable_variables)


def rounds(first=0, second=1, factors=(1, 1), modes=(True, True, True), by=lambda g, c: (g, c)):
    """Answer 16.1: the critic goes down one loss, times a factor, then the generator another."""

    def play_round(generator, critic, for_generator, for_critic, losses_of, real, noise):
        for_generator, for_critic = by(for_generator, for_critic)
        given = generator, critic, real, noise, modes
        step(critic, for_critic, lambda: factors[0] * losses_of(*logits(*given))[first])
        step(generator, for_generator, lambda: factors[1] * losses_of(*logits(*given))[second])

    return play_round


def only_own_logits(generator, critic, for_generator, for_critic, losses_of, real, noise):
    """Let the critic see fakes from above the block, and the generator no real example."""
    fake = generator(noise, training=True)
    with tf.GradientTape() as tape:
        loss, _ = losses_of(critic(real, training=True), critic(fake, training=True))
    variables = critic.trainable_variables
    for_critic.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(
            tf.nn.softplus(-critic(generator(noise, training=True), training=True))
        )
    variables = generator.trainable_weights
    for_generator.apply(tape.gradient(loss, variables), variables)


def persistent(generator, critic, for_generator, for_critic, losses_of, real, noise):
    with tf.GradientTape(persistent=True) as tape:
        of_critic, of_generator = losses_of(*logits(generator, critic, real, noise))
    for model, optimizer, loss in (
        (critic, for_critic, of_critic),
        (generator, for_generator, of_generator),
    ):
        optimizer.apply(tape.gradient(loss, model.trainable_variables), model.trainable_variables)


def in_a_graph(*given):
    @tf.function
    def run():
        rounds()(*given)

    given[2].build(given[0].trainable_variables)
    given[3].build(given[1].trainable_variables)
    run()


def predicted_fakes(generator, critic, for_generator, for_critic, losses_of, real, noise):
    def of_generator():
        fake = generator.predict(noise, verbose=0)
        return losses_of(critic(real, training=True), critic(fake, training=True))[1]

    step(critic, for_critic, lambda: losses_of(*logits(generator, critic, real, noise))[0])
    step(generator, for_generator, of_generator)


def summed(generator, critic, for_generator, for_critic, losses_of, real, noise):
    models = critic, generator
    with tf.GradientTape() as tape:
        loss = tf.add_n(losses_of(*logits(generator, critic, real, noise)))
    found = tape.gradient(loss, [model.trainable_variables for model in models])
    for model, optimizer, gradients in zip(models, (for_critic, for_generator), found, strict=True):
        optimizer.apply(gradients, model.trainable_variables)


def critic_on_both(generator, critic, for_generator, for_critic, losses_of, real, noise):
    models = generator, critic, real, noise
    step(critic, for_critic, lambda: tf.add_n(losses_of(*logits(*models))))
    step(generator, for_generator, lambda: losses_of(*logits(*models))[1])


def by_hand(generator, critic, for_generator, for_critic, losses_of, real, noise):
    """Take the steps of SGD without the optimizers, from which only the rates come."""
    for turn, (model, optimizer) in enumerate(((critic, for_critic), (generator, for_generator))):
        with tf.GradientTape() as tape:
            loss = losses_of(*logits(generator, critic, real, noise))[turn]
        variables = model.trainable_variables
        for v, g in zip(variables, tape.gradient(loss, variables), strict=True):
            v.assign(v - float(optimizer.learning_rate) * g)


def turned(generator, critic, for_generator, for_critic, losses_of, real, noise):
    given = generator, critic, real, noise
    step(generator, for_generator, lambda: losses_of(*logits(*given))[1])
    step(critic, for_critic, lambda: losses_of(*logits(*given))[0])


def exchanged_labels(generator, critic, for_generator, for_critic, losses_of, real, noise):
    def fake_first(for_real, for_fake):
        return losses_of(for_fake, for_real)

    rounds()(generator, critic, for_generator, for_critic, fake_first, real, noise)


def on_other_scores(scores_of, both=False):
    """Answer 16.1 with other scores of the critic in its own turn, or in both."""

    def play_round(generator, critic, for_generator, for_critic, losses_of, real, noise):
        given = generator, critic, real, noise
        step(critic, for_critic, lambda: losses_of(*scores_of(*logits(*given)))[0])
        change = scores_of if both else lambda *scores: scores
        step(generator, for_generator, lambda: losses_of(*change(*logits(*given)))[1])

    return play_round


def freezing(generator, critic, *given):
    """Freeze the critic for the generator's turn, as one does where one compiles both."""
    for_generator, for_critic, losses_of, real, noise = given
    models = generator, critic, real, noise
    step(critic, for_critic, lambda: losses_of(*logits(*models))[0])
    critic.trainable = False
    step(generator, for_generator, lambda: losses_of(*logits(*models))[1])


def joined(generator, critic, for_generator, for_critic, losses_of, real, noise):
    def loss(number):
        seen = tf.concat([real, generator(noise, training=True)], axis=0)
        values = critic(seen, training=True)
        return losses_of(values[: len(real)], values[len(real) :])[number]

    step(critic, for_critic, lambda: loss(0))
    step(generator, for_generator, lambda: loss(1))


def generator_by_rote(generator, critic, for_generator, for_critic, losses_of, real, noise):
    models = generator, critic, real, noise
    step(critic, for_critic, lambda: losses_of(*logits(*models))[0])
    step(generator, for_generator, lambda: losses_of(*logits(*models, (True, False, False)))[1])


def all_move(*numbers):
    def play_round(generator, critic, for_generator, for_critic, losses_of, real, noise):
        models = [critic, generator]
        for turn, optimizer in enumerate((for_critic, for_generator)):
            moved = models if turn in numbers else [models[turn]]
            with tf.GradientTape() as tape:
                loss = losses_of(*logits(generator, critic, real, noise))[turn]
            variables = [v for model in moved for v in model.trainable_variables]
            optimizer.apply(tape.gradient(loss, variables), variables)

    return play_round


def each_moved_by_its_own(turn_of_both):
    """Let one turn move both networks, each by its own optimizer."""

    def play_round(generator, critic, for_generator, for_critic, losses_of, real, noise):
        for turn in (0, 1):
            with tf.GradientTape(persistent=True) as tape:
                loss = losses_of(*logits(generator, critic, real, noise))[turn]
            of_critic = tape.gradient(loss, critic.trainable_variables)
            of_generator = tape.gradient(loss, generator.trainable_variables)
            if turn == 0 or turn == turn_of_both:
                for_critic.apply(of_critic, critic.trainable_variables)
            if turn == 1 or turn == turn_of_both:
                for_generator.apply(of_generator, generator.trainable_variables)

    return play_round


def in_turns(turns):
    """Take a step for each letter, c of the critic and g of the generator."""

    def play_round(generator, critic, for_generator, for_critic, losses_of, real, noise):
        models = generator, critic, real, noise
        for letter in turns:
            if letter == "c":
                step(critic, for_critic, lambda: losses_of(*logits(*models))[0])
            else:
                step(generator, for_generator, lambda: losses_of(*logits(*models))[1])

    return play_round


def new_noise(generator, critic, for_generator, for_critic, losses_of, real, noise):
    models = generator, critic, real
    step(critic, for_critic, lambda: losses_of(*logits(*models, noise))[0])
    latent = tf.random.normal(noise.shape)
    step(generator, for_generator, lambda: losses_of(*logits(*models, latent))[1])


def new_optimizers(generator, critic, for_generator, for_critic, losses_of, real, noise):
    for_generator, for_critic = (keras.optimizers.Adam(0.001, beta_1=0.5) for _ in range(2))
    rounds()(generator, critic, for_generator, for_critic, losses_of, real, noise)


def columns(values):
    return values[:, None, None, None]


def lengths(slopes, inside=1e-12):
    return tf.sqrt(tf.einsum("nhwc,nhwc->n", slopes, slopes) + inside)


def penalty(of=lambda r: (r - 1) ** 2, join=np.mean, place=None, slopes_to=lengths):
    """Answer 16.3 with one tape on a variable; place makes the points."""
    join = tf.reduce_mean if join is np.mean else join

    def penalty_between(critic, real, fake, share):
        points = place(real, fake, share) if place else fake + columns(share) * (real - fake)
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(points)
            scores = tf.reduce_sum(critic(points))
        return join(of(slopes_to(tape.gradient(scores, points))))

    return penalty_between


def two_wheres(slopes):
    squares = tf.reduce_sum(tf.reshape(slopes, (len(slopes), -1)) ** 2, axis=1)
    safe = tf.where(squares > 0, squares, 1.0)
    return tf.where(squares > 0, tf.sqrt(safe), 0.0)


def one_by_one(critic, real, fake, share):
    """Take each pair by itself."""
    total = 0.0
    for r, f, s in zip(real, fake, share, strict=True):
        point = (s * r + (1 - s) * f)[None]
        with tf.GradientTape() as tape:
            tape.watch(point)
            score = critic(point)[0]
        slope = tape.gradient(score, point)
        total += (tf.sqrt(tf.reduce_sum(slope * slope) + 1e-12) - 1) ** 2
    return total / len(share)


def in_training(critic, real, fake, share):
    return penalty()(lambda x: critic(x, training=True), real, fake, share)


def by_differences(critic, real, fake, share):
    """Use no tape: the slopes are central differences of the critic."""
    points, h, parts = fake + columns(share) * (real - fake), 0.5, []
    for i in np.ndindex(*points.shape[1:]):
        unit = np.zeros((1, *points.shape[1:]), np.float32)
        unit[0][i] = h
        parts.append((critic(points + unit) - critic(points - unit)) / (2 * h))
    squares = tf.reduce_sum(tf.stack(parts, axis=1) ** 2, axis=1)
    return tf.reduce_mean((tf.sqrt(squares + 1e-12) - 1) ** 2)


def own_shares(critic, real, fake, share):
    return penalty()(critic, real, fake, tf.random.uniform([real.shape[0]]))


def whole_loss(critic, real, fake, share):
    scores = tf.reduce_mean(critic(fake) - critic(real))
    return scores + penalty()(critic, real, fake, share)


def of_the_weights(critic, real, fake, share):
    points = fake + columns(share) * (real - fake)
    with tf.GradientTape() as tape:
        scores = critic(points)
    slopes = tape.gradient(scores, critic.trainable_variables)
    return tf.reduce_mean((tf.sqrt(tf.reduce_sum(slopes**2)) - 1) ** 2)


RIGHT = {
    "16.1": [rounds(), only_own_logits, in_a_graph],
    "16.2": [[-0.018, -0.982], (-0.01799, -0.98201), [np.float64(-0.018), np.float64(-0.982)]],
    "16.3": [
        penalty(),
        penalty(slopes_to=two_wheres),
        penalty(slopes_to=lambda g: lengths(g, 1e-6)),
        in_training,
        one_by_one,
        by_differences,
    ],
}

WRONG = {
    "16.1": [
        ("one sum for both", summed),
        ("one recording", persistent),
        ("real and fake exchanged", on_other_scores(lambda *scores: scores[::-1])),
        ("fakes for both", on_other_scores(lambda for_real, for_fake: [for_fake] * 2)),
        (
            "probabilities for logits",
            on_other_scores(lambda *scores: [1 / (1 + tf.exp(-s)) for s in scores], both=True),
        ),
        ("outside training", rounds(modes=(False, False, False))),
        ("generator outside training", rounds(modes=(False, True, True))),
        ("critic outside training", rounds(modes=(True, False, False))),
        ("generator first", turned),
        ("generator helps the critic", rounds(second=0)),
        ("generator against the critic's loss", rounds(second=0, factors=(1, -1))),
        ("generator goes up", rounds(factors=(1, -1))),
        ("critic goes up", rounds(factors=(-1, 1))),
        ("critic on the generator's loss", rounds(first=1)),
        ("critic on the generator's loss", rounds(first=1, second=0)),
        ("optimizers exchanged", rounds(by=lambda g, c: (c, g))),
        ("raised ValueError", exchanged_labels),
        ("critic's loss halved", rounds(factors=(0.5, 1))),
        ("critic did not move", lambda *given: None),
        ("raised ValueError", predicted_fakes),
        ("critic outside training", rounds(modes=(True, True, False))),
        ("generator's turn outside training", freezing),
        ("real and fakes in one batch", joined),
        ("generator's turn outside training", generator_by_rote),
        ("critic's loss moves both", all_move(0)),
        ("generator's loss moves both", all_move(1)),
        ("each loss moves both", all_move(0, 1)),
        ("one sum for both", critic_on_both),
        ("critic's loss moves both", each_moved_by_its_own(0)),
        ("generator's loss moves both", each_moved_by_its_own(1)),
        ("critic moved more than once", in_turns("cgcg")),
        ("critic moved more than once", in_turns("cccccg")),
        ("critic moved more than once", in_turns("cgc")),
        ("generator moved more than once", in_turns("cggg")),
        ("own noise", new_noise),
        ("own optimizers", new_optimizers),
        ("optimizers left out", by_hand),
    ],
    "16.2": [
        ("line 1: wrote -0.982", [-0.982, -0.018]),
        ("line 1: wrote -1.018", [-1.018, -0.982]),
        ("line 2: wrote 0.982", [-0.018, 0.982]),
        ("line 2: wrote -1", [-0.018, -1.0]),
    ],
    "16.3": [
        ("share not spread", penalty(place=lambda r, f, s: f + s * (r - f))),
        ("real and fake exchanged", penalty(place=lambda r, f, s: r + columns(s) * (f - r))),
        ("one factor for both", penalty(place=lambda r, f, s: columns(s) * r + columns(s) * f)),
        ("at the fakes", penalty(place=lambda r, f, s: tf.identity(f))),
        ("at the real examples", penalty(place=lambda r, f, s: tf.identity(r))),
        ("halfway", penalty(place=lambda r, f, s: 0.5 * r + 0.5 * f)),
        ("one share for all", penalty(place=lambda r, f, s: s[0] * r + (1 - s[0]) * f)),
        ("rows", penalty(slopes_to=lambda g: tf.sqrt(tf.reduce_sum(g**2, (-2, -1)) + 1e-12))),
        (
            "absolute slopes",
            penalty(slopes_to=lambda g: tf.norm(tf.reshape(g, (len(g), -1)), 1, axis=1)),
        ),
        (
            "largest slope",
            penalty(slopes_to=lambda g: tf.norm(tf.reshape(g, (len(g), -1)), np.inf, axis=1)),
        ),
        ("fakes counted whole", penalty(place=lambda r, f, s: f + columns(s) * r)),
        ("parentheses left out", penalty(place=lambda r, f, s: columns(s) * (r - f) + 1)),
        ("shares drawn", own_shares),
        ("over the examples", penalty(slopes_to=lambda g: tf.norm(g + 1e-9, axis=0))),
        (
            "summed before squaring",
            penalty(slopes_to=lambda g: tf.abs(tf.einsum("nhwc->n", g))),
        ),
        ("gap added", whole_loss),
        ("list of slopes", of_the_weights),
        ("root of the mean", penalty(join=lambda squares: tf.reduce_mean(squares) ** 0.5)),
        ("squared length less one", penalty(of=lambda r: r * r - 1)),
        ("last axis", penalty(slopes_to=lambda g: tf.norm(g, axis=-1))),
        ("one axis", penalty(slopes_to=lambda g: tf.sqrt(tf.reduce_sum(g * g, 1) + 1e-12))),
        ("length of batch", penalty(slopes_to=tf.norm)),
        ("no root", penalty(slopes_to=lambda g: tf.einsum("nhwc,nhwc->n", g, g))),
        ("pulled to zero", penalty(of=tf.square)),
        ("not squared", penalty(of=lambda r: tf.abs(1 - r))),
        ("long ones only", penalty(of=lambda r: tf.maximum(r - 1, 0) ** 2)),
        ("averaged first", penalty(of=lambda r: (tf.reduce_mean(r) - 1) ** 2)),
        ("examples added up", penalty(join=tf.reduce_sum)),
        ("epsilon too large", penalty(slopes_to=lambda g: lengths(g, 1e-2))),
        ("nan at zero", penalty(slopes_to=lambda g: tf.norm(tf.reshape(g, (len(g), -1)), axis=1))),
        (
            "no path to the critic",
            penalty(slopes_to=lambda g: tf.constant(np.sqrt((g.numpy() ** 2).sum((1, 2, 3))))),
        ),
        ("no path to the critic", lambda *given: float(penalty()(*given))),
        ("other form", penalty(join=lambda values: values)),
    ],
}
