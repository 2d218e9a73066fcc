"""How submissions run: the fork server, the cluster, and the copy of the course in the sandbox."""
