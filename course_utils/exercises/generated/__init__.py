"""What ``course build`` writes: the questions, and what right and wrong programs did.

Everything else in this folder is generated from ``lessons/``; change it there.
"""
