"""The mean of all points is zero, the mean of means is not."""

counter_example = [[-1, -1], [2]]
