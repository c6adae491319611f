"""Counts travel before sums, which is the same."""

order = [("B", 0), ("I", 0), ("H", 0), ("C", 1), ("G", 1), ("J", 1), ("F", 1), ("D", 1)]
