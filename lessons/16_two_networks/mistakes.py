"""Wrong answers to the questions of lesson 16, and what each is told."""

import keras
import tensorflow as tf

from course_utils.exercises import Between, Table, Wrong

# 16.1


def with_losses(play):
    """Return an answer to 16.1; ``play`` gets its two losses as one function, which returns both."""

    def play_round(generator, discriminator, generator_loss, discriminator_loss, *others):
        def losses_of(real_logits, fake_logits):
            return discriminator_loss(real_logits, fake_logits), generator_loss(fake_logits)

        gen_optimizer, disc_optimizer, real, noise = others
        play(generator, discriminator, gen_optimizer, disc_optimizer, losses_of, real, noise)

    return play_round


def playing(
    discriminators=lambda losses: losses[0],
    generators=lambda losses: losses[1],
    training=(True, True),
    in_turn=True,
    order=("discriminator", "generator"),
    losses=None,
):
    """Return an answer to 16.1 with other losses, modes, or another order."""

    @with_losses
    def play_round(generator, discriminator, gen_optimizer, disc_optimizer, losses_of, real, noise):
        models = {"discriminator": discriminator, "generator": generator}
        optimizers = {"discriminator": disc_optimizer, "generator": gen_optimizer}
        loss_of = {"discriminator": discriminators, "generator": generators}
        steps = []
        for name in order:
            with tf.GradientTape() as tape:
                fake = generator(noise, training=training[0])
                logits = [discriminator(x, training=training[1]) for x in (real, fake)]
                loss = loss_of[name]((losses or losses_of)(*logits))
            variables = models[name].trainable_variables
            steps.append((optimizers[name], tape.gradient(loss, variables), variables))
            if in_turn:
                optimizer, gradients, variables = steps.pop()
                optimizer.apply(gradients, variables)
        for optimizer, gradients, variables in steps:
            optimizer.apply(gradients, variables)

    return play_round


def optimizers_exchanged(*given):
    *models_and_losses, gen_optimizer, disc_optimizer, real, noise = given
    playing()(*models_and_losses, disc_optimizer, gen_optimizer, real, noise)


def total(losses):
    return losses[0] + losses[1]


def on_probabilities(for_real, for_fake):
    """Return the losses that take logits for probabilities."""
    loss = keras.losses.BinaryCrossentropy()
    of_real = loss(tf.ones_like(for_real), for_real)
    return (
        of_real + loss(tf.zeros_like(for_fake), for_fake),
        loss(tf.ones_like(for_fake), for_fake),
    )


def by_modes(discriminators=(True,) * 3, generators=(True,) * 3):
    """Return an answer whose calls, one of the generator and two of the other, differ in mode."""

    @with_losses
    def play_round(generator, discriminator, gen_optimizer, disc_optimizer, losses_of, real, noise):
        turns = (
            (discriminator, disc_optimizer, discriminators, 0),
            (generator, gen_optimizer, generators, 1),
        )
        for player, optimizer, modes, number in turns:
            with tf.GradientTape() as tape:
                fake = generator(noise, training=modes[0])
                logits = (
                    discriminator(real, training=modes[1]),
                    discriminator(fake, training=modes[2]),
                )
                loss = losses_of(*logits)[number]
            variables = player.trainable_variables
            optimizer.apply(tape.gradient(loss, variables), variables)

    return play_round


@with_losses
def in_one_batch(generator, discriminator, gen_optimizer, disc_optimizer, losses_of, real, noise):
    def both(x, fake):
        return tf.split(discriminator(tf.concat([x, fake], axis=0), training=True), 2)

    for player, optimizer, number in (
        (discriminator, disc_optimizer, 0),
        (generator, gen_optimizer, 1),
    ):
        with tf.GradientTape() as tape:
            loss = losses_of(*both(real, generator(noise, training=True)))[number]
        variables = player.trainable_variables
        optimizer.apply(tape.gradient(loss, variables), variables)


def moving_both(*turns_of_both):
    """Return answers in which the losses of these turns move both networks.

    In the first the optimizer of the turn moves both, in the second each network's own.
    """

    def answer(by_own):
        @with_losses
        def play_round(
            generator, discriminator, gen_optimizer, disc_optimizer, losses_of, real, noise
        ):
            players = (discriminator, disc_optimizer), (generator, gen_optimizer)
            for turn, (_, of_turn) in enumerate(players):
                with tf.GradientTape() as tape:
                    fake = generator(noise, training=True)
                    logits = discriminator(real, training=True), discriminator(fake, training=True)
                    loss = losses_of(*logits)[turn]
                moved = players if turn in turns_of_both else [players[turn]]
                found = tape.gradient(loss, [player.trainable_variables for player, _ in moved])
                if by_own:
                    for (player, own), gradients in zip(moved, found, strict=True):
                        own.apply(gradients, player.trainable_variables)
                else:
                    variables = [v for player, _ in moved for v in player.trainable_variables]
                    of_turn.apply(sum(found, []), variables)

        return play_round

    return answer(by_own=False), answer(by_own=True)


def drawing_noise(*turns):
    """Return an answer in which these turns draw noise of their own."""

    @with_losses
    def play_round(generator, discriminator, gen_optimizer, disc_optimizer, losses_of, real, noise):
        for turn, (player, optimizer) in enumerate(
            ((discriminator, disc_optimizer), (generator, gen_optimizer))
        ):
            latent = tf.random.normal(tf.shape(noise)) if turn in turns else noise
            with tf.GradientTape() as tape:
                fake = generator(latent, training=True)
                loss = losses_of(
                    discriminator(real, training=True), discriminator(fake, training=True)
                )[turn]
            variables = player.trainable_variables
            optimizer.apply(tape.gradient(loss, variables), variables)

    return play_round


@with_losses
def fakes_kept(generator, discriminator, gen_optimizer, disc_optimizer, losses_of, real, noise):
    with tf.GradientTape() as tape:
        fake = generator(noise, training=True)
        logits = discriminator(real, training=True), discriminator(fake, training=True)
        loss = losses_of(*logits)[0]
    variables = discriminator.trainable_variables
    disc_optimizer.apply(tape.gradient(loss, variables), variables)
    with tf.GradientTape() as tape:
        logits = discriminator(real, training=True), discriminator(fake, training=True)
        loss = losses_of(*logits)[1]
    variables = generator.trainable_variables
    gen_optimizer.apply(tape.gradient(loss, variables), variables)


def by_own_optimizers(make):
    """Return an answer that makes optimizers of its own."""

    def play_round(*given):
        *models_and_losses, _, _, real, noise = given
        playing()(*models_and_losses, make(), make(), real, noise)

    return play_round


EVAL = False, False


def with_logits(made, turns=(0, 1)):
    """Return an answer that gives ``made(real, fake)`` of the logits to the losses of turns."""

    @with_losses
    def play_round(generator, discriminator, gen_optimizer, disc_optimizer, losses_of, real, noise):
        players = (discriminator, disc_optimizer), (generator, gen_optimizer)
        for turn, (player, optimizer) in enumerate(players):
            with tf.GradientTape() as tape:
                fake = generator(noise, training=True)
                logits = discriminator(real, training=True), discriminator(fake, training=True)
                loss = losses_of(*(made(*logits) if turn in turns else logits))[turn]
            variables = player.trainable_variables
            optimizer.apply(tape.gradient(loss, variables), variables)

    return play_round


ROUNDS = {
    "fakes not made again": Wrong(
        "The generator gets no gradients, because the tape did not record how it made the fakes. "
        "Call `generator(noise, training=True)` inside each block, and compute the loss there.",
        fakes_kept,
    ),
    "real and fake exchanged": Wrong(
        "The logits are swapped. Call `discriminator_loss(real_logits, fake_logits)`.",
        with_logits(lambda real, fake: (fake, real), turns=(0,)),
    ),
    "probabilities for logits": Wrong(
        "You turn the logits into probabilities. Pass the logits unchanged, because both losses "
        "expect logits.",
        with_logits(lambda real, fake: (tf.sigmoid(real), tf.sigmoid(fake))),
    ),
    "fakes for both": Wrong(
        "In the discriminator's turn, you pass the logits of the fakes twice. Pass the logits of "
        "`real` first.",
        with_logits(lambda real, fake: (fake, fake), turns=(0,)),
    ),
    "one sum for both": Wrong(
        "The discriminator minimizes the sum of the losses, so it also learns to be fooled. Give "
        "each network its own loss: `discriminator_loss` and `generator_loss`.",
        playing(total, total),
        playing(total, total, training=EVAL),
    ),
    "outside training": Wrong(
        "You call both networks in inference mode, in which batch normalization behaves "
        "differently. Call each with `training=True`.",
        playing(training=EVAL),
    ),
    "generator outside training": Wrong(
        "You call the generator in inference mode. Call it with `training=True` as well.",
        playing(training=(False, True)),
    ),
    "discriminator outside training": Wrong(
        "You call the discriminator in inference mode. Call it with `training=True`, on the real "
        "examples and on the fakes.",
        playing(training=(True, False)),
        by_modes((True, True, False)),
        by_modes((True, False, True)),
    ),
    "generator's turn outside training": Wrong(
        "The discriminator is right, but in the generator's turn, a network runs in inference "
        "mode. Call both networks with `training=True`, and leave `trainable` unchanged, because "
        "`trainable=False` also puts batch normalization in inference mode.",
        by_modes(generators=(True, False, False)),
        by_modes(generators=(True, True, False)),
        by_modes(generators=(False, True, True)),
        by_modes(generators=(False, False, False)),
    ),
    "real and fakes in one batch": Wrong(
        "You pass the discriminator real examples and fakes in one batch, so its batch "
        "normalization mixes them. Call it once on each.",
        in_one_batch,
    ),
    "discriminator's loss moves both": Wrong(
        "The discriminator is right, but you also updated the generator in the discriminator's "
        "turn. Compute the gradients with respect to only the discriminator's variables.",
        *moving_both(0),
    ),
    "each loss moves both": Wrong(
        "You update both networks in each turn. Use only the discriminator's variables in the "
        "first turn, and only the generator's in the second.",
        *moving_both(0, 1),
    ),
    "generator's loss moves both": Wrong(
        "You also updated the discriminator in the generator's turn. Compute the gradients with "
        "respect to only the generator's variables.",
        *moving_both(1),
    ),
    "one recording": Wrong(
        "The discriminator is right, but the generator's gradient uses the discriminator's *old* "
        "weights, because both gradients come from one forward pass. Run it again under a new "
        "tape after the discriminator's update.",
        playing(in_turn=False),
    ),
    "generator first": Wrong(
        "You updated the generator first. Update the discriminator first.",
        playing(order=("generator", "discriminator")),
    ),
    "generator helps the discriminator": Wrong(
        "The discriminator is right, but the generator minimizes the discriminator's loss, which "
        "helps its opponent. Use `generator_loss`.",
        playing(generators=lambda losses: losses[0]),
    ),
    "generator against the discriminator's loss": Wrong(
        "The discriminator is right, but the generator maximizes the discriminator's loss. That is "
        "the minimax loss, which is flat when the generator is losing. Minimize `generator_loss`.",
        playing(generators=lambda losses: -losses[0]),
    ),
    "generator on the sum": Wrong(
        "The discriminator is right, but the generator minimizes the sum of both losses, which "
        "pull it in opposite directions. Use only `generator_loss`.",
        playing(generators=total),
    ),
    "generator goes up": Wrong(
        "The discriminator is right, but the generator maximizes its loss. Minimize "
        "`generator_loss`.",
        playing(generators=lambda losses: -losses[1]),
    ),
    "discriminator goes up": Wrong(
        "The discriminator maximizes its loss. Minimize `discriminator_loss`: each network "
        "minimizes its own loss.",
        playing(discriminators=lambda losses: -losses[0]),
    ),
    "discriminator on the generator's loss": Wrong(
        "The discriminator minimizes the generator's loss, so it learns to accept fakes. Use "
        "`discriminator_loss`.",
        playing(discriminators=lambda losses: losses[1]),
    ),
    "optimizers exchanged": Wrong(
        "The optimizers are swapped. Use `disc_optimizer` for the discriminator, and "
        "`gen_optimizer` for the generator.",
        optimizers_exchanged,
    ),
    "discriminator alone": Wrong(
        "The discriminator is right, but the generator did not change. Compute `generator_loss` "
        "under a new tape after the discriminator's update, and apply its gradients.",
        playing(order=("discriminator",)),
    ),
    "discriminator did not move": Wrong(
        "The discriminator did not change. Update it first, with `disc_optimizer`.",
        playing(order=("generator",)),
    ),
    "discriminator moved more than once": Wrong(
        "The discriminator took more than one step. Take one step per network in each round.",
        *(playing(order=("discriminator",) * n + ("generator",)) for n in (2, 3, 5)),
        # or the round, played twice
        playing(order=("discriminator", "generator", "discriminator")),
    ),
    "generator moved more than once": Wrong(
        "The discriminator is right, but the generator took more than one step. Take one step per "
        "network in each round.",
        *(playing(order=("discriminator",) + ("generator",) * n) for n in (2, 3, 5)),
    ),
    "own noise": Wrong(
        "You drew new noise. Use the given batch `noise` for both networks.",
        drawing_noise(1),
        drawing_noise(0),
        drawing_noise(0, 1),
    ),
    "own optimizers": Wrong(
        "You create your own optimizers, with their own learning rates. Apply the gradients "
        "with `disc_optimizer` and `gen_optimizer`.",
        by_own_optimizers(lambda: keras.optimizers.Adam(1e-3)),
        by_own_optimizers(lambda: keras.optimizers.Adam(2e-4)),
        by_own_optimizers(lambda: keras.optimizers.SGD(0.01)),
    ),
    "discriminator's loss halved": Wrong(
        "The discriminator moved half as far as it should, because you halve its loss. Use the "
        "sum of both parts, not their mean.",
        playing(discriminators=lambda losses: losses[0] / 2),
    ),
    "logits as probabilities": Wrong(
        "Your loss treats logits as probabilities, because `from_logits=True` is missing. Use "
        "the arguments `discriminator_loss` and `generator_loss`.",
        playing(losses=on_probabilities),
    ),
}

# 16.2

FLAT = Table(
    {
        Between(
            -0.99, -0.97
        ): "This is the slope of the other loss. log(1 - p) hardly changes while p is near 0.",
        Between(0.0179, 0.0181): "The size is right, but the sign is not. A higher logit makes "
        "p higher, and log(1 - p) lower.",
        Between(0.017, 0.02): "The size is nearly right, but the sign is not. A higher logit "
        "makes p higher, and log(1 - p) lower.",
        Between(0.97, 0.99): "This is the slope of the other loss, with the wrong sign. log(1 - p) "
        "hardly changes while p is near 0, and it falls as the logit rises.",
        Between(
            -0.0178, -0.0176
        ): "This is -p (1 - p), the slope of 1 - p. For the slope of log(1 - p), divide it by 1 - "
        "p.",
        Between(-0.021, -0.015): "Your answer is close. The slope is -p, and p is 0.018 to three "
        "decimals.",
        Between(
            -1.03, -1.01
        ): "This is about -1 / (1 - p), the slope with respect to p. For the slope with "
        "respect to the logit, also multiply by p (1 - p), the slope of p.",
        -4.0: "-4 is the logit. The question asks for the slope with respect to it.",
    },
    "{value} is not the slope. With z for the logit, log(1 - p) is -log(1 + exp(z)): differentiate "
    "that with respect to z.",
)
STEEP = Table(
    {
        Between(
            -0.02, -0.017
        ): "This is the slope of the other loss. -log p is steep if p is near 0.",
        Between(
            0.97, 0.99
        ): "The size is right, but the sign is not. A higher logit makes p higher, and -log p "
        "lower.",
        Between(0.017, 0.02): "This is the slope of the other loss, with the wrong sign. -log p is "
        "steep if p is near 0, and it falls as the logit rises.",
        Between(-1.05, -0.93): "Your answer is close. The slope is p - 1, and p is 0.018 to three "
        "decimals.",
        Between(
            -56, -54
        ): "This is -1 / p, the slope with respect to p. For the slope with respect to the "
        "logit, also multiply by p (1 - p), the slope of p.",
    },
    "{value} is not the slope. With z for the logit, -log p is log(1 + exp(-z)): differentiate "
    "that with respect to z.",
)

# 16.3


def spread(share):
    return tf.reshape(share, (-1, 1, 1, 1))


def mixed(real, fake, share):
    return spread(share) * real + (1 - spread(share)) * fake


def lengths_of(slopes, axis=(1, 2, 3), inside=1e-12):
    return tf.sqrt(tf.reduce_sum(slopes**2, axis=axis) + inside)


def to_one(lengths):
    return tf.reduce_mean((lengths - 1) ** 2)


def penalising(at=mixed, of=lambda slopes: to_one(lengths_of(slopes)), scores=lambda s: s):
    def penalty_between(critic, real, fake, share):
        points = at(real, fake, share)
        with tf.GradientTape() as tape:
            tape.watch(points)
            target = scores(critic(points))
        return of(tape.gradient(target, points))

    return penalty_between


def of_lengths(of):
    """Return variants with a safe root and with one that gives nan."""
    return [
        penalising(of=lambda slopes, inside=inside: of(lengths_of(slopes, inside=inside)))
        for inside in (1e-12, 0.0)
    ]


def at_points(at):
    """Return variants with a safe root and with one that gives nan."""
    return [
        penalising(at, lambda slopes, inside=inside: to_one(lengths_of(slopes, inside=inside)))
        for inside in (1e-12, 0.0)
    ]


def with_gap(factor):
    """Return an answer that gives the critic's whole loss, the penalty times a factor."""

    def penalty_between(critic, real, fake, share):
        gap = tf.reduce_mean(critic(fake)) - tf.reduce_mean(critic(real))
        return gap + factor * penalising()(critic, real, fake, share)

    return penalty_between


PENALTIES = {
    "share not spread": Wrong(
        "Your `share` has shape (n,), but shapes align from the right, so the points have "
        "shape (n, h, w, n). Give it three more axes: (n, 1, 1, 1).",
        *at_points(lambda real, fake, share: share * real + (1 - share) * fake),
    ),
    "real and fake exchanged": Wrong(
        "The shares are swapped. Use `share * real + (1 - share) * fake`.",
        *at_points(lambda real, fake, share: mixed(fake, real, share)),
    ),
    "at the fakes": Wrong(
        "You compute the slopes at the fakes. Compute them at the points between real and fake.",
        *at_points(lambda real, fake, share: fake),
    ),
    "at the real examples": Wrong(
        "You compute the slopes at the real examples. Compute them at the points between real "
        "and fake.",
        *at_points(lambda real, fake, share: real),
    ),
    "halfway": Wrong(
        "All your points are halfway between real and fake. Use the `share` of each pair.",
        *at_points(lambda real, fake, share: (real + fake) / 2),
    ),
    "one share for all": Wrong(
        "You use one share for all pairs. Use the `share` of each pair.",
        *at_points(lambda real, fake, share: mixed(real, fake, share[:1])),
        *at_points(lambda real, fake, share: mixed(real, fake, tf.reduce_mean(share)[None])),
    ),
    "fakes counted whole": Wrong(
        "You add the whole fake. Multiply it by `1 - share`.",
        *at_points(lambda real, fake, share: spread(share) * real + fake),
    ),
    "one factor for both": Wrong(
        "You multiply real and fake by the same factor. Multiply the fake by `1 - share`.",
        *at_points(lambda real, fake, share: spread(share) * (real + fake)),
    ),
    "parentheses left out": Wrong(
        "`1 - share * fake` computes the product first, and adds 1 to each pixel. Write `(1 - "
        "share) * fake`.",
        *at_points(lambda real, fake, share: spread(share) * real + 1 - spread(share) * fake),
    ),
    "shares drawn": Wrong(
        "You drew the shares yourself. Use the argument `share`, with one number per pair.",
        *at_points(lambda real, fake, share: mixed(real, fake, tf.random.uniform((len(real), 1)))),
    ),
    "over the examples": Wrong(
        "You summed the squares over axis 0, the examples. Each image has one norm: sum over "
        "axes 1, 2 and 3.",
        penalising(of=lambda slopes: to_one(lengths_of(slopes, axis=0))),
        penalising(of=lambda slopes: to_one(lengths_of(slopes, axis=0, inside=0.0))),
    ),
    "summed before squaring": Wrong(
        "You summed the slopes before squaring, so they cancel. Square each slope first.",
        penalising(
            of=lambda slopes: to_one(
                tf.sqrt(tf.reduce_sum(slopes, axis=(1, 2, 3)) ** 2 + 1e-12),
            )
        ),
        penalising(of=lambda slopes: to_one(tf.reduce_sum(slopes, axis=(1, 2, 3)))),
    ),
    "gap added": Wrong(
        "You added the difference between the mean scores. Return only the penalty.",
        with_gap(1.0),
        with_gap(10.0),
    ),
    "list of slopes": Wrong(
        "Your gradient is a list, because you passed a list of sources. Pass the points "
        "themselves, a single tensor.",
        penalising(of=lambda slopes: [slopes] ** 2),
    ),
    "one axis": Wrong(
        "You summed the squares over only axis 1. Each image has one norm: sum over axes 1, "
        "2 and 3.",
        penalising(of=lambda slopes: to_one(lengths_of(slopes, axis=1))),
        penalising(of=lambda slopes: to_one(lengths_of(slopes, axis=1, inside=0.0))),
    ),
    "rows": Wrong(
        "You summed the squares over axes 2 and 3. Each image has one norm: sum over axes 1, "
        "2 and 3.",
        penalising(of=lambda slopes: to_one(lengths_of(slopes, axis=(2, 3)))),
        penalising(of=lambda slopes: to_one(lengths_of(slopes, axis=(2, 3), inside=0.0))),
    ),
    "absolute slopes": Wrong(
        "You summed the absolute slopes. Use the norm, the square root of the sum of the squares.",
        penalising(of=lambda slopes: to_one(tf.reduce_sum(tf.abs(slopes), axis=(1, 2, 3)))),
    ),
    "largest slope": Wrong(
        "You use the largest slope of each image. Use the norm, which includes all pixels: the "
        "square root of the sum of the squares.",
        penalising(of=lambda slopes: to_one(tf.reduce_max(tf.abs(slopes), axis=(1, 2, 3)))),
    ),
    "squared length less one": Wrong(
        "You square the norm and then subtract 1. Subtract first: (norm - 1)².",
        *of_lengths(lambda lengths: tf.reduce_mean(lengths**2 - 1)),
    ),
    "last axis": Wrong(
        "You summed the squares over the last axis. Each image has one norm: sum over axes "
        "1, 2 and 3.",
        penalising(of=lambda slopes: to_one(lengths_of(slopes, axis=-1))),
        penalising(of=lambda slopes: to_one(lengths_of(slopes, axis=-1, inside=0.0))),
    ),
    "length of batch": Wrong(
        "You compute one norm for the whole batch. Each image has its own: sum the squares "
        "over axes 1, 2 and 3.",
        penalising(of=lambda slopes: to_one(lengths_of(slopes, axis=None))),
    ),
    "mean of squares": Wrong(
        "You averaged the squares over the pixels. Use the norm, the square root of their sum.",
        penalising(
            of=lambda slopes: to_one(tf.sqrt(tf.reduce_mean(slopes**2, axis=(1, 2, 3)) + 1e-12))
        ),
        penalising(of=lambda slopes: to_one(tf.sqrt(tf.reduce_mean(slopes**2, axis=(1, 2, 3))))),
    ),
    "mean score": Wrong(
        "The slopes are too small by a factor of n, the number of examples: you took the "
        "gradient of the mean score. Differentiate the scores, or their sum.",
        penalising(scores=tf.reduce_mean),
    ),
    "no root": Wrong(
        "You use (squared norm - 1)². Take the root first.",
        penalising(of=lambda slopes: to_one(tf.reduce_sum(slopes**2, axis=(1, 2, 3)))),
    ),
    "pulled to zero": Wrong(
        "You use the mean squared norm, which pulls the slopes to 0. Use (norm - 1)², which "
        "pulls the norm to 1.",
        penalising(of=lambda slopes: tf.reduce_mean(tf.reduce_sum(slopes**2, axis=(1, 2, 3)))),
        *of_lengths(lambda lengths: tf.reduce_mean(lengths**2)),
    ),
    "averaged first": Wrong(
        "You averaged the norms before squaring. Compute (norm - 1)² for each image, then average.",
        *of_lengths(lambda lengths: (tf.reduce_mean(lengths) - 1) ** 2),
    ),
    "not squared": Wrong(
        "You do not square the difference between the norm and 1. Use (norm - 1)².",
        *of_lengths(lambda lengths: tf.reduce_mean(tf.abs(lengths - 1))),
        *of_lengths(lambda lengths: tf.reduce_mean(lengths - 1)),
    ),
    "long ones only": Wrong(
        "You penalize only norms above 1. Penalize smaller ones as well: (norm - 1)².",
        *of_lengths(lambda lengths: tf.reduce_mean(tf.nn.relu(lengths - 1) ** 2)),
    ),
    "root of the mean": Wrong(
        "You returned the root of the penalty. Return the mean of (norm - 1)² itself.",
        *of_lengths(lambda lengths: tf.sqrt(tf.reduce_mean((lengths - 1) ** 2))),
    ),
    "examples added up": Wrong(
        "You summed over the examples. Return the mean.",
        *of_lengths(lambda lengths: tf.reduce_sum((lengths - 1) ** 2)),
    ),
    "epsilon too large": Wrong(
        "If the slopes are 0, the norm should be almost 0, but yours is not: the number added "
        "inside the root is too large. Use 1e-12.",
        *(
            penalising(of=lambda slopes, e=e: to_one(lengths_of(slopes, inside=e)))
            for e in (1.0, 0.1, 1e-2, 1e-3, 1e-4)
        ),
    ),
    "no path to the critic": Wrong(
        "The penalty is right, but no path leads from the critic's weights to it. Use "
        "TensorFlow operations: `.numpy()`, `float()` and `tf.stop_gradient` break the "
        "path.",
        penalising(of=lambda slopes: to_one(lengths_of(tf.stop_gradient(slopes)))),
    ),
    "nan at zero": Wrong(
        "Your penalty is right, but its gradient is nan if all slopes of an image are 0, "
        "because the slope of the root is infinite at 0 (also in `tf.norm`). Add 1e-12 to "
        "the sum of squares inside the root.",
        penalising(of=lambda slopes: to_one(lengths_of(slopes, inside=0.0))),
    ),
}

MISTAKES = {"16.1": ROUNDS, "16.2": [FLAT, STEEP], "16.3": PENALTIES}
