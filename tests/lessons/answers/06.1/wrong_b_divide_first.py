"""Wrong: the new centroids are computed before Allreduce has added up what they need; 'put the steps in order'."""

order = [("B", 0), ("I", 0), ("H", 0), ("C", 1), ("G", 1), ("D", 1), ("F", 1), ("J", 1)]
