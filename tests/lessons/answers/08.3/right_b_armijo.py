"""Right: plain loops with a case for each sign, and backtracking until the loss falls enough."""

import math

import numpy as np


def loss_and_gradient(X, y, weights):
    loss, gradient = 0.0, np.zeros(len(weights))
    for row, late in zip(np.asarray(X, dtype=float), y):
        z = float(row @ weights[:-1] + weights[-1])
        small = math.exp(-abs(z))
        chance = 1 / (1 + small) if z >= 0 else small / (1 + small)
        loss += math.log1p(small) + (max(-z, 0.0) if late else max(z, 0.0))
        error = chance - (1.0 if late else 0.0)
        gradient[:-1] += error * row
        gradient[-1] += error
    return loss, gradient


def descend(evaluate, weights):
    left = 500

    def ask(place):
        nonlocal left
        left -= 1
        return evaluate(place)

    place, step = np.array(weights, dtype=float), 1.0
    loss, gradient = ask(place)
    while left > 0 and gradient @ gradient > 1e-14:
        step *= 4
        while left > 0:
            trial = place - step * gradient
            trial_loss, trial_gradient = ask(trial)
            if trial_loss <= loss - 0.3 * step * (gradient @ gradient):
                place, loss, gradient = trial, trial_loss, trial_gradient
                break
            step /= 2
            if step < 1e-14:
                return place
    return place
