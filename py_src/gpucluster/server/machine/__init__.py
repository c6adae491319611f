"""This machine: its GPUs and who uses them, metrics, and what instructors do on it."""
