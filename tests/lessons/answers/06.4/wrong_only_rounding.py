"""Equal parts around zero: only rounding makes a difference."""

import numpy as np

counter_example = [np.array([0.1, 0.2, -0.1]), np.array([-0.1, -0.2, 0.1])]
