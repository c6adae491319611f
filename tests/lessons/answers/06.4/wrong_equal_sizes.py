"""The sample of the exercise: with equal sizes the mean of means is right."""

import numpy as np

counter_example = [np.array([1.0, 2.0]), np.array([5.0, 6.0])]
