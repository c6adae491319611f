"""Wrong: the two errors cancel, the mean of means 2 is the mean of all points."""

import numpy as np

counter_example = [np.array([1.0]), np.array([2.0, 2.0]), np.array([3.0])]
