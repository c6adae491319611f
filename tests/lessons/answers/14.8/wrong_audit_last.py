"""Looks after the workers have started."""

order = [("F", 0), ("H", 0), ("J", 0), ("G", 0), ("E", 0), ("D", 1), ("B", 1), ("L", 1), ("A", 1), ("I", 0)]
