"""The centroids are chosen before the blocks are cut, and sums travel before counts."""

order = [("I", 0), ("B", 0), ("H", 0), ("C", 1), ("G", 1), ("F", 1), ("J", 1), ("D", 1)]
