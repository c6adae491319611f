"""Workers before the scheduler."""

order = [("F", 0), ("H", 0), ("J", 0), ("E", 0), ("D", 1), ("B", 1), ("A", 1), ("L", 1), ("G", 0), ("I", 0)]
