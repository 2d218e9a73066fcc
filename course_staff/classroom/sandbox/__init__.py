"""What runs apart from the grader: the fork server, the sandbox, and a learner's notebook in it.

Nothing in here judges. These modules are copied, with the exercises' questions, to the package that
the fork server imports; see `course_staff.classroom.running.public_package`.
"""
