"""A percentage of nothing."""

counter_example = [[-3.0], [1.0, 1.0, 1.0]]
