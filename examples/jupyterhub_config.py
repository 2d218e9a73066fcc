"""A JupyterHub for a class: `jupyterhub -f examples/jupyterhub_config.py`.

The hub runs as root, and each student's server as the student's own account of this machine. Every
home must be closed to others (`chmod 700`), and the drop box be made as below. `make hub-test` runs
what stands here, with two students and a teacher.
"""

import os
import sys

c = get_config()  # noqa: F821 (JupyterHub gives it)

# One password for everybody lets everybody in as anybody: good enough to try this in a closed room.
# For a class, take your university's authenticator, or "pam" for the passwords of this machine.
c.JupyterHub.authenticator_class = "dummy"
c.DummyAuthenticator.password = os.environ["COURSE_HUB_PASSWORD"]
c.Authenticator.allow_all = True
c.Authenticator.blocked_users = {"root"}

# At the first login it copies the lessons to ~/gradienttape, as the student; at every login it
# opens the lesson where the student goes on. It needs no hook, so any other spawner can run it.
c.Spawner.cmd = [sys.executable, "-m", "course_utils.on_hub"]
c.Spawner.start_timeout = 120  # seconds; many may come at once

# A kernel with TensorFlow takes about 1 GB, and each open notebook has one: end those that idle.
c.Spawner.args = [
    "--MappingKernelManager.cull_idle_timeout=3600",
    "--MappingKernelManager.cull_interval=300",
]

# Where `course hand-in` writes. Teachers read it; students put files there, and see none:
#     mkdir /srv/handed_in && chgrp teachers /srv/handed_in && chmod 3773 /srv/handed_in
c.Spawner.environment = {
    "COURSE_DROP_BOX": os.environ.get("COURSE_DROP_BOX", "/srv/handed_in"),
}
