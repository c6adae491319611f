"""Wrong: only the sums travel, the Allreduce of the counts is left out, and it does belong."""

order = [("B", 0), ("I", 0), ("H", 0), ("C", 1), ("G", 1), ("F", 1), ("D", 1)]
