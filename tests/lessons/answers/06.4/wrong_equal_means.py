"""Unequal sizes, but equal means."""

counter_example = [[3.0], [2.0, 4.0, 3.0]]
