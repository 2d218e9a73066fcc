"""For instructors: handing out the course, and grading what a class hands in.

Notes
-----
**What a forged pass meets.** The learner's code runs in one process and is judged in another. The
first holds questions alone, no solution, nothing that one did, and no other submission: it imports
a copy of the package from which all that is left out. It learns the inputs of an exercise only when
it asks for them, after the learner's code has run, and they come from a secret that it never sees.
What it sends back are results, not verdicts. So it does not matter what it does to ``check``, to
this package, to NumPy, TensorFlow, ``json``, the builtins, its own descriptors or its memory: it
can only lose points.

**What earns points without the lesson's method.** Checks judge behavior. Where an exercise does not
ask for a tape, a function that computes the right gradient by hand, by differences, or with the
helpers of this package passes, as it does for the learner. A prediction can be made after running
the cell that shows the truth. An answer that somebody else wrote passes: nothing here compares
submissions.

**Where the system allows no namespaces**, nothing is graded, unless you ask for it: without them
the code can also read what you can read, the solutions among it, and use the network. See
`course_staff.classroom.sandbox.namespaces` for the two cases side by side.
"""
