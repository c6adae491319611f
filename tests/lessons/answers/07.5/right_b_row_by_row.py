"""A comprehension over the rows, and a mean over all numbers by fsum."""

import math

import numpy as np


def reconstruct(rows, mean, components):
    def back(row):
        coordinates = components @ (row - mean)
        return mean + sum((x * c for x, c in zip(coordinates, components)), np.zeros(len(mean)))

    return np.array([back(row) for row in rows])


def psnr(original, copy):
    squares = ((np.asarray(original) * 1.0 - np.asarray(copy)) ** 2).ravel()
    error = math.fsum(squares) / len(squares)
    return 10 * math.log10(1 / error) if error else math.inf


quality = {}
for k, decibels in zip([4, 16, 64], [19.172, 20.944, 23.711]):
    quality[k] = decibels
