"""Wrong: 99 against 100 is exactly 1 %, not 'more than 1 %'."""

import numpy as np

counter_example = [np.array([97.0]), np.array([101.0, 101.0, 101.0])]
