"""Begins at zero, whatever it is given."""

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, log_expit


def loss_and_gradient(X, y, weights):
    A = np.column_stack([X, np.ones(len(X))])
    z = A @ weights
    loss = -np.sum(y * log_expit(z) + (1 - y) * log_expit(-z))
    return loss, A.T @ (expit(z) - y)


def descend(evaluate, weights):
    return minimize(lambda w: evaluate(w), 0 * weights, jac=True, method="L-BFGS-B").x
