"""The picture of a tape: what was computed, and the gradient that comes back.

``grouping`` and ``folding`` turn a recording into cards, which say in words what is drawn;
``layout`` and ``routing`` say where they and the lines between them go, ``shapes`` what is there.
``still`` draws it once with matplotlib; ``moving`` goes through it step by step, in a drawing by
``vector``.
"""
