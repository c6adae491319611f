"""Wrong: the same line again and again."""

order = [("A", 0), ("A", 0), ("A", 1), ("A", 1)]
