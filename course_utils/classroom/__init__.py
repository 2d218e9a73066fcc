"""Grading a class: find submissions, run them apart, judge what they did, and write the results."""
