"""What the supervisor sees of a scheduler, in this process or elsewhere."""
