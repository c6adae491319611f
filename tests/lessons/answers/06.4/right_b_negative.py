"""The mean of all points is negative."""

import numpy as np

counter_example = [np.array([-4.0, -4.0, -4.0, -4.0]), np.array([-1.0]), np.array([0.0, -1.0])]
