"""Whole numbers, points in the plane, a tuple of lists."""

counter_example = ([[1, 1]], [[0, 4], [0, 6], [0, 8]])
