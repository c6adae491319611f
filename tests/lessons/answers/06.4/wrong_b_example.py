"""Wrong: the parts shown are of equal size, so there is no difference of 'more than 1 %'."""

import numpy as np

counter_example = [np.array([1.0, 2.0]), np.array([5.0, 6.0])]
