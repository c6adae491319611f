"""One point against two: 1.75 is not 2."""

import numpy as np

counter_example = [np.array([1.0]), np.array([2.0, 3.0])]
