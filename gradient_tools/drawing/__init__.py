"""The picture of a tape: what was computed, and the gradient that comes back.

``grouping`` and ``folding`` turn a recording into cards, which say in words what is drawn.
``layout`` places the cards, ``routing`` the lines between them, and ``shapes`` lists what to draw.
``still`` draws everything once with matplotlib. ``moving`` goes through it step by step, in a
drawing by ``vector``.
"""
