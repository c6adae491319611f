"""Wrong: the sizes differ, but the parts have the same mean, so there is no difference."""

import numpy as np

counter_example = [np.array([1.0, 3.0]), np.array([0.0, 2.0, 4.0]), np.array([2.0])]
