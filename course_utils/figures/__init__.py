"""The course's figures but the drawn tape, and what all that is shown shares: palette and card.

``images``, ``lines`` and ``surface`` each take and return an Axes, and never show it; ``palette``
and ``card`` need no matplotlib.
"""
