"""What a grading tells: tables for machines, pages for the student, the teacher and the wall."""
