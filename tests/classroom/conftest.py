"""Beside it stand `handed_in` and `forgeries`, which the tests in the rooms below import."""
