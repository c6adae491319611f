"""Wrong: with one part its mean is the mean of all points."""

import numpy as np

counter_example = [np.array([1.0, 2.0, 9.0])]
