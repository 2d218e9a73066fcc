"""A learner's own copy of the lessons: filled, updated and handed in, with the progress in it."""
