"""A tournament: the winner of the first half of the centroids against that of the second half."""

import numpy as np


def assign(points, centroids):
    def nearest(low, high):
        if high - low == 1:
            difference = points - centroids[low]
            return np.full(len(points), low), np.einsum("ij,ij->i", difference, difference)
        middle = (low + high) // 2
        first, first_distance = nearest(low, middle)
        second, second_distance = nearest(middle, high)
        take = second_distance < first_distance
        return np.where(take, second, first), np.where(take, second_distance, first_distance)

    return nearest(0, len(centroids))[0]
