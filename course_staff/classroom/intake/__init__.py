"""What was handed in: found, unpacked, whose it is, which lesson it answers, and when it came."""
