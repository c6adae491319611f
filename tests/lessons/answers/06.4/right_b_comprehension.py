"""Three parts of growing size by a comprehension."""

import numpy as np

counter_example = [np.full(i + 1, i, dtype=np.float32) for i in range(3)]
