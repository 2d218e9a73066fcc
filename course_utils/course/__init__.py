"""The course as learners meet it: ``check``, ``predict``, the lesson map, what they type."""
