"""The course's picture of a tape: what was computed, and the gradient that comes back.

``grouping`` and ``folding`` turn a recording into cards, ``layout`` and ``routing`` say where they
and the lines between them go, ``words`` says the same in sentences. ``still`` draws them once with
matplotlib and ``cards``; ``moving`` goes through them step by step, in a drawing by ``vector``.
"""
