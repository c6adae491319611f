"""Nothing to merge."""

counter_example = [[1.0, 2.0, 9.0]]
