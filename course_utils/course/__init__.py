"""The course itself: its lessons in their order, ``check``, the progress, what learners type."""
