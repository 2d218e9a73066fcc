"""What is handed out: the course for students, and the same as an nbgrader course."""
