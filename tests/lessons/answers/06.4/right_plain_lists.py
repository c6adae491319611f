"""No NumPy at all."""

counter_example = [[10], [20, 30], [40, 50, 60]]
