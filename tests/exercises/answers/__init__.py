"""Answers that no list holds: RIGHT ones, which pass, and WRONG ones with the mistake's name.

ORACLES compute without a tape where a tape is asked for: right in every value, they fail that
demand alone.
"""
