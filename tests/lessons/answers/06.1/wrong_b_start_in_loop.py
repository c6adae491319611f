"""Wrong: the choice of the first centroids is repeated; 'level 1 is what the loop repeats'."""

order = [("B", 0), ("H", 0), ("I", 1), ("C", 1), ("G", 1), ("F", 1), ("J", 1), ("D", 1)]
