"""Wrong answers to the questions of lesson 16, and what each is told."""

import keras
import tensorflow as tf

from course_utils.exercises import Between, Table, Wrong

# 16.1


def playing(
    critics=lambda losses: losses[0],
    generators=lambda losses: losses[1],
    training=(True, True),
    in_turn=True,
    order=("critic", "generator"),
    losses=None,
):
    """Return an answer to 16.1 with other losses, modes, or another order."""

    def play_round(generator, critic, for_generator, for_critic, losses_of, real, noise):
        models = {"critic": critic, "generator": generator}
        optimizers = {"critic": for_critic, "generator": for_generator}
        loss_of = {"critic": critics, "generator": generators}
        steps = []
        for name in order:
            with tf.GradientTape() as tape:
                fake = generator(noise, training=training[0])
                logits = [critic(x, training=training[1]) for x in (real, fake)]
                loss = loss_of[name]((losses or losses_of)(*logits))
            variables = models[name].trainable_variables
            steps.append((optimizers[name], tape.gradient(loss, variables), variables))
            if in_turn:
                optimizer, gradients, variables = steps.pop()
                optimizer.apply(gradients, variables)
        for optimizer, gradients, variables in steps:
            optimizer.apply(gradients, variables)

    return play_round


def optimizers_exchanged(generator, critic, for_generator, for_critic, *others):
    playing()(generator, critic, for_critic, for_generator, *others)


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


def by_modes(critics=(True,) * 3, generators=(True,) * 3):
    """Return an answer whose calls, of the generator and of the critic twice, differ in mode."""

    def play_round(generator, critic, for_generator, for_critic, losses_of, real, noise):
        turns = (critic, for_critic, critics, 0), (generator, for_generator, generators, 1)
        for player, optimizer, modes, number in turns:
            with tf.GradientTape() as tape:
                fake = generator(noise, training=modes[0])
                logits = critic(real, training=modes[1]), critic(fake, training=modes[2])
                loss = losses_of(*logits)[number]
            variables = player.trainable_variables
            optimizer.apply(tape.gradient(loss, variables), variables)

    return play_round


def in_one_batch(generator, critic, for_generator, for_critic, losses_of, real, noise):
    def both(x, fake):
        return tf.split(critic(tf.concat([x, fake], axis=0), training=True), 2)

    for player, optimizer, number in ((critic, for_critic, 0), (generator, for_generator, 1)):
        with tf.GradientTape() as tape:
            loss = losses_of(*both(real, generator(noise, training=True)))[number]
        variables = player.trainable_variables
        optimizer.apply(tape.gradient(loss, variables), variables)


def moving_both(*turns_of_both):
    """Return answers in which the losses of these turns move both networks.

    In the first the optimizer of the turn moves both, in the second each network's own.
    """

    def answer(by_own):
        def play_round(generator, critic, for_generator, for_critic, losses_of, real, noise):
            players = (critic, for_critic), (generator, for_generator)
            for turn, (_, of_turn) in enumerate(players):
                with tf.GradientTape() as tape:
                    fake = generator(noise, training=True)
                    logits = critic(real, training=True), critic(fake, training=True)
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

    def play_round(generator, critic, for_generator, for_critic, losses_of, real, noise):
        for turn, (player, optimizer) in enumerate(
            ((critic, for_critic), (generator, for_generator))
        ):
            latent = tf.random.normal(tf.shape(noise)) if turn in turns else noise
            with tf.GradientTape() as tape:
                fake = generator(latent, training=True)
                loss = losses_of(critic(real, training=True), critic(fake, training=True))[turn]
            variables = player.trainable_variables
            optimizer.apply(tape.gradient(loss, variables), variables)

    return play_round


def by_own_optimizers(make):
    """Return an answer that makes optimizers of its own."""

    def play_round(generator, critic, for_generator, for_critic, *others):
        playing()(generator, critic, make(), make(), *others)

    return play_round


EVAL = False, False


def with_logits(made, turns=(0, 1)):
    """Return an answer in which ``made(real, fake)`` of the logits goes into the losses of turns."""

    def play_round(generator, critic, for_generator, for_critic, losses_of, real, noise):
        players = (critic, for_critic), (generator, for_generator)
        for turn, (player, optimizer) in enumerate(players):
            with tf.GradientTape() as tape:
                fake = generator(noise, training=True)
                logits = critic(real, training=True), critic(fake, training=True)
                loss = losses_of(*(made(*logits) if turn in turns else logits))[turn]
            variables = player.trainable_variables
            optimizer.apply(tape.gradient(loss, variables), variables)

    return play_round


ROUNDS = {
    "real and fake exchanged": Wrong(
        "The critic's scores are exchanged. losses_of takes those of the real examples first, and then "
        "those of the fakes.",
        with_logits(lambda real, fake: (fake, real), turns=(0,)),
    ),
    "probabilities for logits": Wrong(
        "You turn the critic's scores into probabilities. losses_of takes the scores as they come: "
        "logits.",
        with_logits(lambda real, fake: (tf.sigmoid(real), tf.sigmoid(fake))),
    ),
    "fakes for both": Wrong(
        "In the critic's turn both scores are those of the fakes. The first is that of `real`.",
        with_logits(lambda real, fake: (fake, fake), turns=(0,)),
    ),
    "one sum for both": Wrong(
        "The critic goes down the sum of the losses, so that it learns to be fooled as well. Give each "
        "network its own loss: the critic the first, the generator the second.",
        playing(total, total),
        playing(total, total, training=EVAL),
    ),
    "outside training": Wrong(
        "Both networks ran as outside training, and batch normalisation behaves differently there. "
        "Call each with training=True.",
        playing(training=EVAL),
    ),
    "generator outside training": Wrong(
        "The generator ran as outside training. Call it with training=True, too.",
        playing(training=(False, True)),
    ),
    "critic outside training": Wrong(
        "The critic ran as outside training. Call it with training=True, on real and on fakes.",
        playing(training=(True, False)),
        by_modes((True, True, False)),
        by_modes((True, False, True)),
    ),
    "generator's turn outside training": Wrong(
        "The critic is right. In the generator's turn a network ran as outside training. Freeze none, "
        "as trainable = False turns batch normalisation, too, and call both with training=True.",
        by_modes(generators=(True, False, False)),
        by_modes(generators=(True, True, False)),
        by_modes(generators=(False, True, True)),
        by_modes(generators=(False, False, False)),
    ),
    "real and fakes in one batch": Wrong(
        "The critic saw real examples and fakes in one batch, so that its batch normalisation mixed "
        "them. Call it once on each.",
        in_one_batch,
    ),
    "critic's loss moves both": Wrong(
        "The critic is right. The generator moved in the critic's turn as well, towards being "
        "recognised. Ask for the gradients of the critic's variables alone.",
        *moving_both(0),
    ),
    "each loss moves both": Wrong(
        "Each turn moves both networks. Ask for the gradients of the critic's variables alone, and in "
        "the second turn for those of the generator's alone.",
        *moving_both(0, 1),
    ),
    "generator's loss moves both": Wrong(
        "The critic moved in the generator's turn as well, towards being fooled. Ask for the "
        "gradients of the generator's variables alone.",
        *moving_both(1),
    ),
    "one recording": Wrong(
        "The critic is right. The generator answers the critic as it was *before* its step, "
        "because both gradients come from what was recorded then. Record anew after the critic has "
        "moved.",
        playing(in_turn=False),
    ),
    "generator first": Wrong(
        "The generator moved first, and the critic was shown the new fakes. Move the critic first.",
        playing(order=("generator", "critic")),
    ),
    "generator helps the critic": Wrong(
        "The critic is right. The generator goes down the critic's loss, so that its fakes are "
        "recognised more easily. Its own is the second of the two.",
        playing(generators=lambda losses: losses[0]),
    ),
    "generator against the critic's loss": Wrong(
        "The critic is right. The generator goes up the critic's loss, the original game, which is "
        "flat where it loses. Take the second of the two losses.",
        playing(generators=lambda losses: -losses[0]),
    ),
    "generator on the sum": Wrong(
        "The critic is right. The generator goes down the sum of both losses, which take it in "
        "opposite directions. Its own is the second of the two.",
        playing(generators=total),
    ),
    "generator goes up": Wrong(
        "The critic is right. The generator goes up its loss: it makes fakes that are recognised. "
        "Go down.",
        playing(generators=lambda losses: -losses[1]),
    ),
    "critic goes up": Wrong(
        "The critic goes up its loss. Each network goes down its own.",
        playing(critics=lambda losses: -losses[0]),
    ),
    "critic on the generator's loss": Wrong(
        "The critic goes down the generator's loss: it learns to take fakes for real. Its own is the "
        "first of the two.",
        playing(critics=lambda losses: losses[1]),
    ),
    "optimizers exchanged": Wrong(
        "The optimizers are exchanged: for_critic moves the critic, and for_generator the generator.",
        optimizers_exchanged,
    ),
    "critic alone": Wrong(
        "The critic is right, and the generator did not move. Record its loss anew, and apply its "
        "gradients.",
        playing(order=("critic",)),
    ),
    "critic did not move": Wrong(
        "The critic did not move. It takes the first step of the round, with for_critic.",
        playing(order=("generator",)),
    ),
    "critic moved more than once": Wrong(
        "The critic took more than one step. In a round each network takes one.",
        *(playing(order=("critic",) * n + ("generator",)) for n in (2, 3, 5)),
        playing(order=("critic", "generator", "critic")),  # or the round, played twice
    ),
    "generator moved more than once": Wrong(
        "The critic is right, and the generator took more than one step. In a round each takes one.",
        *(playing(order=("critic",) + ("generator",) * n) for n in (2, 3, 5)),
    ),
    "own noise": Wrong(
        "The noise was drawn anew. In this round there is one batch of it, which is given, for both "
        "players.",
        drawing_noise(1),
        drawing_noise(0),
        drawing_noise(0, 1),
    ),
    "own optimizers": Wrong(
        "The optimizers are your own, with rates of their own. Let for_critic and for_generator apply "
        "the gradients.",
        by_own_optimizers(lambda: keras.optimizers.Adam(1e-3)),
        by_own_optimizers(lambda: keras.optimizers.Adam(2e-4)),
        by_own_optimizers(lambda: keras.optimizers.SGD(0.01)),
    ),
    "critic's loss halved": Wrong(
        "The critic moved half as far: its loss is the sum of both parts, and not their mean.",
        playing(critics=lambda losses: losses[0] / 2),
    ),
    "logits as probabilities": Wrong(
        "You took logits for probabilities: without from_logits=True a cross-entropy expects "
        "numbers from 0 to 1. Use losses_of.",
        playing(losses=on_probabilities),
    ),
}

# 16.2

FLAT = Table(
    {
        Between(
            -0.99, -0.97
        ): "This is the slope of the other one. log(1 - p) hardly changes while p is near 0.",
        Between(0.0179, 0.0181): "The size is right. But a higher logit makes p higher and "
        "log(1 - p) lower.",
        Between(0.017, 0.02): "Nearly the size. But a higher logit makes p higher and log(1 - p) "
        "lower.",
        Between(0.97, 0.99): "log(1 - p) hardly changes while p is near 0; and it falls.",
        Between(
            -0.0178, -0.0176
        ): "This is p (1 - p) with a minus, the slope of 1 - p. The logarithm divides it by 1 - p.",
        Between(-0.021, -0.015): "Small, and close. To three decimals it is -p, and p is 0.018.",
        Between(
            -1.03, -1.01
        ): "This is about -1 / (1 - p), the slope with respect to p. With respect to "
        "the logit, p's own slope, p (1 - p), is a factor, too.",
        -4.0: "This is the logit. Its slope is asked.",
    },
    "With l for the logit, log(1 - p) is -log(1 + exp(l)). Take the slope of that with respect to l.",
)
STEEP = Table(
    {
        Between(
            -0.02, -0.017
        ): "This is the slope of the other one. -log p is steep where p is near 0.",
        Between(
            0.97, 0.99
        ): "The size is right. But a higher logit makes p higher and -log p lower.",
        Between(0.017, 0.02): "-log p is steep where p is near 0; and it falls.",
        Between(-1.05, -0.93): "Close. To three decimals it is p - 1, and p is 0.018.",
        Between(
            -56, -54
        ): "This is -1 / p, the slope with respect to p. With respect to the logit, p's own slope, "
        "p (1 - p), is a factor, too.",
    },
    "With l for the logit, -log p is log(1 + exp(-l)). Take the slope of that with respect to l.",
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
        "A share of shape (n,) against (n, h, w, 1) does not belong to the examples: shapes align "
        "from the right, and the points became (n, h, w, n). Give it three axes more.",
        *at_points(lambda real, fake, share: share * real + (1 - share) * fake),
    ),
    "real and fake exchanged": Wrong(
        "The shares are exchanged: the points are share * real + (1 - share) * fake.",
        *at_points(lambda real, fake, share: mixed(fake, real, share)),
    ),
    "at the fakes": Wrong(
        "These are slopes at the fakes. Take them at the points between real and fake.",
        *at_points(lambda real, fake, share: fake),
    ),
    "at the real examples": Wrong(
        "These are slopes at the real examples. Take them at the points between real and fake.",
        *at_points(lambda real, fake, share: real),
    ),
    "halfway": Wrong(
        "All points lie halfway. Each pair has its own share.",
        *at_points(lambda real, fake, share: (real + fake) / 2),
    ),
    "one share for all": Wrong(
        "All points lie at one share of their way. Each pair has its own.",
        *at_points(lambda real, fake, share: mixed(real, fake, share[:1])),
        *at_points(lambda real, fake, share: mixed(real, fake, tf.reduce_mean(share)[None])),
    ),
    "fakes counted whole": Wrong(
        "The fake counts whole here. Multiply it by 1 - share.",
        *at_points(lambda real, fake, share: spread(share) * real + fake),
    ),
    "one factor for both": Wrong(
        "Real and fake have the same factor, share, here. The fake's is 1 - share.",
        *at_points(lambda real, fake, share: spread(share) * (real + fake)),
    ),
    "parentheses left out": Wrong(
        "1 - share * fake takes the product first, and adds 1 to each pixel. Write (1 - share) * fake.",
        *at_points(lambda real, fake, share: spread(share) * real + 1 - spread(share) * fake),
    ),
    "shares drawn": Wrong(
        "You drew the shares yourself. Here they are given, one for each pair, as share.",
        *at_points(lambda real, fake, share: mixed(real, fake, tf.random.uniform((len(real), 1)))),
    ),
    "over the examples": Wrong(
        "You summed the squares over axis 0, the examples: a length for each pixel. A picture has one "
        "length, over axes 1, 2 and 3.",
        penalising(of=lambda slopes: to_one(lengths_of(slopes, axis=0))),
        penalising(of=lambda slopes: to_one(lengths_of(slopes, axis=0, inside=0.0))),
    ),
    "summed before squaring": Wrong(
        "You added up the slopes and squared after that, so that they cancel one another. Square each "
        "first.",
        penalising(
            of=lambda slopes: to_one(
                tf.sqrt(tf.reduce_sum(slopes, axis=(1, 2, 3)) ** 2 + 1e-12),
            )
        ),
        penalising(of=lambda slopes: to_one(tf.reduce_sum(slopes, axis=(1, 2, 3)))),
    ),
    "gap added": Wrong(
        "You added the gap of the scores. Return the penalty alone.",
        with_gap(1.0),
        with_gap(10.0),
    ),
    "list of slopes": Wrong(
        "There is a list where one tensor is needed. Of a list of sources, a tape gives a list: ask "
        "for the slopes with respect to the points, which are one tensor.",
        penalising(of=lambda slopes: [slopes] ** 2),
    ),
    "one axis": Wrong(
        "You summed the squares over axis 1 alone: a length for each column of a picture. A picture "
        "has one length, over axes 1, 2 and 3.",
        penalising(of=lambda slopes: to_one(lengths_of(slopes, axis=1))),
        penalising(of=lambda slopes: to_one(lengths_of(slopes, axis=1, inside=0.0))),
    ),
    "rows": Wrong(
        "You summed the squares over axes 2 and 3: a length for each row of a picture. A picture has "
        "one length, over axes 1, 2 and 3.",
        penalising(of=lambda slopes: to_one(lengths_of(slopes, axis=(2, 3)))),
        penalising(of=lambda slopes: to_one(lengths_of(slopes, axis=(2, 3), inside=0.0))),
    ),
    "absolute slopes": Wrong(
        "You added up the absolute slopes. A length is the root of the summed squares.",
        penalising(of=lambda slopes: to_one(tf.reduce_sum(tf.abs(slopes), axis=(1, 2, 3)))),
    ),
    "largest slope": Wrong(
        "This is the largest slope of each picture. Its length counts all pixels: the root of the "
        "summed squares.",
        penalising(of=lambda slopes: to_one(tf.reduce_max(tf.abs(slopes), axis=(1, 2, 3)))),
    ),
    "squared length less one": Wrong(
        "Take 1 from the length, and square after that: (length - 1)².",
        *of_lengths(lambda lengths: tf.reduce_mean(lengths**2 - 1)),
    ),
    "last axis": Wrong(
        "You summed the squares over the last axis, which has one entry: a length for each pixel. A "
        "picture has one length, over axes 1, 2 and 3.",
        penalising(of=lambda slopes: to_one(lengths_of(slopes, axis=-1))),
        penalising(of=lambda slopes: to_one(lengths_of(slopes, axis=-1, inside=0.0))),
    ),
    "length of batch": Wrong(
        "This is one length for the whole batch. Each picture has its own: sum the squares over axes "
        "1, 2 and 3.",
        penalising(of=lambda slopes: to_one(lengths_of(slopes, axis=None))),
    ),
    "mean of squares": Wrong(
        "You averaged the squares over the pixels. A length is the root of their sum.",
        penalising(
            of=lambda slopes: to_one(tf.sqrt(tf.reduce_mean(slopes**2, axis=(1, 2, 3)) + 1e-12))
        ),
        penalising(of=lambda slopes: to_one(tf.sqrt(tf.reduce_mean(slopes**2, axis=(1, 2, 3))))),
    ),
    "mean score": Wrong(
        "The slopes are too small by the number of examples, because you took the gradient of the "
        "mean score. Ask for the scores themselves, or their sum.",
        penalising(scores=tf.reduce_mean),
    ),
    "no root": Wrong(
        "The root is missing: this is (squared length - 1)².",
        penalising(of=lambda slopes: to_one(tf.reduce_sum(slopes**2, axis=(1, 2, 3)))),
    ),
    "pulled to zero": Wrong(
        "This is the mean squared length, which pulls the slopes to 0. Here the length should become "
        "1.",
        penalising(of=lambda slopes: tf.reduce_mean(tf.reduce_sum(slopes**2, axis=(1, 2, 3)))),
        *of_lengths(lambda lengths: tf.reduce_mean(lengths**2)),
    ),
    "averaged first": Wrong(
        "You averaged the lengths and then squared. Take (length - 1)² for each picture, and average "
        "after that.",
        *of_lengths(lambda lengths: (tf.reduce_mean(lengths) - 1) ** 2),
    ),
    "not squared": Wrong(
        "The distance of the length from 1 is not squared. Take (length - 1)².",
        *of_lengths(lambda lengths: tf.reduce_mean(tf.abs(lengths - 1))),
        *of_lengths(lambda lengths: tf.reduce_mean(lengths - 1)),
    ),
    "long ones only": Wrong(
        "You penalise lengths above 1 alone. Here shorter ones count, too: (length - 1)².",
        *of_lengths(lambda lengths: tf.reduce_mean(tf.nn.relu(lengths - 1) ** 2)),
    ),
    "root of the mean": Wrong(
        "This is the root of the penalty. The mean of (length - 1)² itself is asked for.",
        *of_lengths(lambda lengths: tf.sqrt(tf.reduce_mean((lengths - 1) ** 2))),
    ),
    "examples added up": Wrong(
        "You added up the examples. The penalty is their mean.",
        *of_lengths(lambda lengths: tf.reduce_sum((lengths - 1) ** 2)),
    ),
    "epsilon too large": Wrong(
        "Where a slope is 0, its length should be 0, and yours is not: the number inside the root is "
        "too large. 1e-12 is enough.",
        *(
            penalising(of=lambda slopes, e=e: to_one(lengths_of(slopes, inside=e)))
            for e in (1.0, 0.1, 1e-2, 1e-3, 1e-4)
        ),
    ),
    "no path to the critic": Wrong(
        "The penalty is right, but no path leads from it to the critic's weights, so it trains "
        "nothing. Stay with TensorFlow's operations: .numpy(), float() and tf.stop_gradient end the "
        "path.",
        penalising(of=lambda slopes: to_one(lengths_of(tf.stop_gradient(slopes)))),
    ),
    "nan at zero": Wrong(
        "Right, until the slopes of one picture are 0: then the gradient is nan, because the root's "
        "slope is infinite there, also inside of tf.norm. Add 1e-12 inside the root, to the sum of "
        "squares.",
        penalising(of=lambda slopes: to_one(lengths_of(slopes, inside=0.0))),
    ),
}

MISTAKES = {"16.1": ROUNDS, "16.2": [FLAT, STEEP], "16.3": PENALTIES}
