"""Many numbers, one part much bigger."""

import numpy as np

counter_example = [np.arange(1, 101.0)[:, None], np.full((2, 1), 500.0)]
