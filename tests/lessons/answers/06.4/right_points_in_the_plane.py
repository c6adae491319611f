"""Two features."""

import numpy as np

counter_example = (np.array([[1.0, 1.0]]), np.array([[2.0, 3.0], [4.0, 5.0], [6.0, 7.0]]))
