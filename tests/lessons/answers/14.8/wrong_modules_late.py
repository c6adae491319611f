"""Modules after the environment."""

order = [("F", 0), ("H", 0), ("J", 0), ("G", 0), ("E", 0), ("B", 1), ("D", 1), ("A", 1), ("L", 1), ("I", 0)]
