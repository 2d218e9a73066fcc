"""For instructors: what a class is given, and what becomes of what it hands in."""
