"""The blocks come first, then the centroids, and sums travel before counts."""

order = [("B", 0), ("I", 0), ("H", 0), ("C", 1), ("G", 1), ("F", 1), ("J", 1), ("D", 1)]
