"""Wrong: an empty part has no mean, so the mean of means is no number."""

import numpy as np

counter_example = [np.array([]), np.array([1.0, 2.0])]
