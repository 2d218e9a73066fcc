"""Derivatives, and the check that a gradient is right: ``check`` is where to start reading.

``measurements`` compares a gradient with differences along lines, more closely where that leaves
doubt. ``verdicts`` says what the measurements mean, and ``report`` and ``hints`` say it to the
reader.
"""
