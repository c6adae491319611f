"""Right: SciPy's expit, a column of ones, and steps against the gradient of Barzilai and Borwein's length."""

import numpy as np
from scipy.special import expit, log_expit


def loss_and_gradient(X, y, weights):
    A = np.column_stack([X, np.ones(len(X))]).astype(np.float64)
    z = A @ np.asarray(weights, dtype=np.float64)
    y = np.asarray(y).astype(np.float64)
    loss = -(y * log_expit(z) + (1 - y) * log_expit(-z)).sum()
    return float(loss), A.T @ (expit(z) - y)


def descend(evaluate, weights):
    here = np.asarray(weights, dtype=np.float64)
    loss, gradient = evaluate(here)
    best, lowest, recent = here, loss, [loss]
    step = 1 / max(1.0, float(np.linalg.norm(gradient)))
    for _ in range(499):
        if np.linalg.norm(gradient) < 1e-8 or step < 1e-15:
            break
        there = here - step * gradient
        new_loss, new_gradient = evaluate(there)
        if new_loss > max(recent[-5:]):
            step /= 4
            continue
        moved, bent = there - here, new_gradient - gradient
        step = moved @ moved / (moved @ bent) if moved @ bent > 0 else 2 * step
        here, gradient = there, new_gradient
        recent.append(new_loss)
        if new_loss < lowest:
            best, lowest = here, new_loss
    return best
