"""The figures of the lessons: ``images``, ``lines`` and ``surface``.

Each takes and returns an Axes, and never shows it. ``in_notebooks`` gives figures in a notebook the
course's style, and words beside them. The drawn tape and the palette are ``gradient_tools``'s.
"""
