"""What authors and instructors use; no student needs it."""
