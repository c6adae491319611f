"""Wrong: the two means differ by only 0.2 %, but 'more than 1 %' is asked."""

import numpy as np

counter_example = [np.array([100.0]), np.array([101.0, 101.0])]
