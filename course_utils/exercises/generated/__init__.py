"""What ``course build`` writes: the table of the lessons, and what right and wrong programs did.

In a release and in a wheel the questions of the lessons stand here, too. Everything is generated
from ``lessons/``; change it there.
"""
