"""Answers to lesson 16's exercises: other right ones, and wrong ones that no list holds."""

import numpy as np
import tensorflow as tf


def with_losses(play):
    """Return an answer to 16.1; ``play`` gets its two losses as one function, which returns both."""

    def play_round(generator, discriminator, generator_loss, discriminator_loss, *others):
        def losses_of(real_logits, fake_logits):
            return discriminator_loss(real_logits, fake_logits), generator_loss(fake_logits)

        gen_optimizer, disc_optimizer, real, noise = others
        play(generator, discriminator, gen_optimizer, disc_optimizer, losses_of, real, noise)

    return play_round


def logits(generator, discriminator, real, noise, modes=(True, True, True)):
    fake = generator(noise, training=modes[0])
    return discriminator(real, training=modes[1]), discriminator(fake, training=modes[2])


def step(model, optimizer, loss):
    """Move one model down loss()."""
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch([v.value for v in model.trainable_variables])
        value = loss()
    values = [v.value for v in model.trainable_variables]
    optimizer.apply(tape.gradient(value, values), model.trainable_variables)


def rounds(first=0, second=1, factors=(1, 1), modes=(True, True, True), by=lambda g, c: (g, c)):
    """Answer 16.1: the discriminator takes one loss, times a factor, and the generator another."""

    @with_losses
    def play_round(generator, discriminator, gen_optimizer, disc_optimizer, losses_of, real, noise):
        gen_optimizer, disc_optimizer = by(gen_optimizer, disc_optimizer)
        given = generator, discriminator, real, noise, modes
        step(discriminator, disc_optimizer, lambda: factors[0] * losses_of(*logits(*given))[first])
        step(generator, gen_optimizer, lambda: factors[1] * losses_of(*logits(*given))[second])

    return play_round


@with_losses
def only_own_logits(
    generator, discriminator, gen_optimizer, disc_optimizer, losses_of, real, noise
):
    """Let the discriminator see fakes from above the block, and the generator no real example."""
    fake = generator(noise, training=True)
    with tf.GradientTape() as tape:
        loss, _ = losses_of(discriminator(real, training=True), discriminator(fake, training=True))
    variables = discriminator.trainable_variables
    disc_optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(
            tf.nn.softplus(-discriminator(generator(noise, training=True), training=True))
        )
    variables = generator.trainable_weights
    gen_optimizer.apply(tape.gradient(loss, variables), variables)


@with_losses
def persistent(generator, discriminator, gen_optimizer, disc_optimizer, losses_of, real, noise):
    with tf.GradientTape(persistent=True) as tape:
        of_discriminator, of_generator = losses_of(*logits(generator, discriminator, real, noise))
    for model, optimizer, loss in (
        (discriminator, disc_optimizer, of_discriminator),
        (generator, gen_optimizer, of_generator),
    ):
        optimizer.apply(tape.gradient(loss, model.trainable_variables), model.trainable_variables)


def in_a_graph(*given):
    @tf.function
    def run():
        rounds()(*given)

    generator, discriminator, _, _, gen_optimizer, disc_optimizer, _, _ = given
    gen_optimizer.build(generator.trainable_variables)
    disc_optimizer.build(discriminator.trainable_variables)
    run()


@with_losses
def summed(generator, discriminator, gen_optimizer, disc_optimizer, losses_of, real, noise):
    models = discriminator, generator
    with tf.GradientTape() as tape:
        loss = tf.add_n(losses_of(*logits(generator, discriminator, real, noise)))
    found = tape.gradient(loss, [model.trainable_variables for model in models])
    for model, optimizer, gradients in zip(
        models, (disc_optimizer, gen_optimizer), found, strict=True
    ):
        optimizer.apply(gradients, model.trainable_variables)


def on_other_scores(scores_of, both=False):
    """Answer 16.1 with other scores of the discriminator in its own turn, or in both."""

    @with_losses
    def play_round(generator, discriminator, gen_optimizer, disc_optimizer, losses_of, real, noise):
        given = generator, discriminator, real, noise
        step(discriminator, disc_optimizer, lambda: losses_of(*scores_of(*logits(*given)))[0])
        change = scores_of if both else lambda *scores: scores
        step(generator, gen_optimizer, lambda: losses_of(*change(*logits(*given)))[1])

    return play_round


def each_moved_by_its_own(turn_of_both):
    """Let one turn move both networks, each by its own optimizer."""

    @with_losses
    def play_round(generator, discriminator, gen_optimizer, disc_optimizer, losses_of, real, noise):
        for turn in (0, 1):
            with tf.GradientTape(persistent=True) as tape:
                loss = losses_of(*logits(generator, discriminator, real, noise))[turn]
            of_discriminator = tape.gradient(loss, discriminator.trainable_variables)
            of_generator = tape.gradient(loss, generator.trainable_variables)
            if turn == 0 or turn == turn_of_both:
                disc_optimizer.apply(of_discriminator, discriminator.trainable_variables)
            if turn == 1 or turn == turn_of_both:
                gen_optimizer.apply(of_generator, generator.trainable_variables)

    return play_round


def in_turns(turns):
    """Take a step for each letter, c of the discriminator and g of the generator."""

    @with_losses
    def play_round(generator, discriminator, gen_optimizer, disc_optimizer, losses_of, real, noise):
        models = generator, discriminator, real, noise
        for letter in turns:
            if letter == "c":
                step(discriminator, disc_optimizer, lambda: losses_of(*logits(*models))[0])
            else:
                step(generator, gen_optimizer, lambda: losses_of(*logits(*models))[1])

    return play_round


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
        (
            "probabilities for logits",
            on_other_scores(lambda *scores: [1 / (1 + tf.exp(-s)) for s in scores], both=True),
        ),
        ("outside training", rounds(modes=(False, False, False))),
        ("generator against the discriminator's loss", rounds(second=0, factors=(1, -1))),
        ("discriminator on the generator's loss", rounds(first=1)),
        ("optimizers exchanged", rounds(by=lambda g, c: (c, g))),
        ("discriminator's loss moves both", each_moved_by_its_own(0)),
        ("discriminator moved more than once", in_turns("cgcg")),
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
        ("root of the mean", penalty(join=lambda squares: tf.reduce_mean(squares) ** 0.5)),
        ("squared length less one", penalty(of=lambda r: r * r - 1)),
        ("epsilon too large", penalty(slopes_to=lambda g: lengths(g, 1e-2))),
    ],
}
