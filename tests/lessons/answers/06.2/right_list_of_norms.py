"""One line: the lengths of the differences, centroid by centroid."""

import numpy as np


def assign(points, centroids):
    return np.argmin([np.linalg.norm(points - c, axis=1) for c in centroids], axis=0)
