"""Wrong: nothing is one level further in, but 'level 1 is what the loop repeats'."""

order = [("B", 0), ("I", 0), ("H", 0), ("C", 0), ("G", 0), ("F", 0), ("J", 0), ("D", 0)]
