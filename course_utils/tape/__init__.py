"""What a tape recorded, the picture of it, and why a gradient is None, zero or not finite."""
