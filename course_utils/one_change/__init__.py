"""Where one change is enough: the place but for which a wrong answer is a right one."""
