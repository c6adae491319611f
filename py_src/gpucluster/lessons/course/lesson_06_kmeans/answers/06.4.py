# %% right b_int_range: Whole numbers, one against ten.
import numpy as np

counter_example = [np.array([1]), np.arange(2, 12)]

# %% right mean_of_zero: The mean of all points is zero, the mean of means is not.
counter_example = [[-1, -1], [2]]

# %% right plain_lists: No NumPy at all.
counter_example = [[10], [20, 30], [40, 50, 60]]

# %% right two_features: Whole numbers, points in the plane, a tuple of lists.
counter_example = ([[1, 1]], [[0, 4], [0, 6], [0, 8]])

# %% wrong b_empty_part: An empty part has no mean, so the mean of means is no number.
# fails: No part is empty
# ~ [1]), np.arange(2, 12 => []), np.array([1.0, 2.0]

# %% wrong b_one_part: With one part its mean is the mean of all points.
# fails: There are at least two parts
# ~ [1]), np.arange(2, 12 => [1.0, 2.0, 9.0]

# %% wrong only_rounding: Equal parts around zero: only rounding makes a difference.
# fails: The mean of the parts' means is more than 1 % away from the mean of all points
# ~ [1]), np.arange(2, 12 => [0.1, 0.2, -0.1]), np.array([-0.1, -0.2, 0.1]

# %% wrong words: No numbers.
# fails: Each part is an array of numbers
counter_example = ["three", "one"]
