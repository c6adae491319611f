"""The mean of nothing."""

counter_example = [[], [1.0, 2.0]]
