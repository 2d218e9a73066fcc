"""From one text source a lesson to its two notebooks."""
