"""The pairs of the comment "For example" were copied as they stand."""

order = [("X", 0), ("Y", 0), ("Z", 1)]
