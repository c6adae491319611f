"""The mean of all points is 0 and the mean of means is -1."""

import numpy as np

counter_example = [np.array([-3.0]), np.array([1.0, 1.0, 1.0])]
