"""Where one change is enough: the line of a wrong answer that is one slip away from a right one."""
