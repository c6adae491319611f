import numpy as np

# %% right b_bold_driver: Logaddexp for loss and chance; the step grows after each success and halves after each failure.
def loss_and_gradient(X, y, weights):
    z = X @ weights[:-1] + weights[-1]
    sign = np.where(np.asarray(y) > 0, 1.0, -1.0)
    loss = np.logaddexp(0, -sign * z).sum()
    chance = np.exp(-np.logaddexp(0, -z))
    error = chance - (sign > 0)
    return loss, np.append(error @ X, error.sum())


def descend(evaluate, weights):
    weights = np.array(weights, dtype=float)
    loss, gradient = evaluate(weights)
    step, used = 1.0, 1
    while used < 500 and np.abs(gradient).max() > 1e-7 and step > 1e-12:
        trial = weights - step * gradient
        new_loss, new_gradient = evaluate(trial)
        used += 1
        if new_loss < loss:
            weights, loss, gradient = trial, new_loss, new_gradient
            step *= 1.5
        else:
            step /= 2
    return weights

# %% right lbfgs: With scipy: a stable logistic function, and L-BFGS for the descent.
from scipy.optimize import minimize
from scipy.special import expit, log_expit


def loss_and_gradient(X, y, weights):
    A = np.column_stack([X, np.ones(len(X))])
    z = A @ weights
    loss = -np.sum(y * log_expit(z) + (1 - y) * log_expit(-z))
    return loss, A.T @ (expit(z) - y)


def descend(evaluate, weights):
    return minimize(lambda w: evaluate(w), weights, jac=True, method="L-BFGS-B").x

# %% right momentum: Momentum, and a loop over rows.
import math


def loss_and_gradient(X, y, weights):
    loss, gradient = 0.0, [0.0] * len(weights)
    for row, label in zip(X.tolist(), y.tolist(), strict=False):
        z = weights[-1] + sum(w * x for w, x in zip(weights, row, strict=False))
        v = -z if label == 1 else z
        loss += v + math.log1p(math.exp(-v)) if v > 0 else math.log1p(math.exp(v))
        chance = 1 / (1 + math.exp(-z)) if z > 0 else math.exp(z) / (1 + math.exp(z))
        for j, x in enumerate([*row, 1.0]):
            gradient[j] += (chance - label) * x
    return loss, np.array(gradient)


def descend(evaluate, weights):
    speed = np.zeros_like(weights)
    for _ in range(250):
        _, gradient = evaluate(weights)
        speed = 0.7 * speed - 0.5 * gradient
        weights = weights + speed
    return weights

# %% wrong b_clipped: Z is clipped to 30, so the loss of a row that is far off becomes 30.
# fails: Rows far on the wrong side have a large but finite loss
# ~ X @ weights[:-1] + weights[-1] => np.clip(X @ weights[:-1] + weights[-1], -30, 30)

# %% wrong b_intercept_first: The gradient has the intercept first, but it has to be last.
# fails: gradient gives the change of the loss with each weight, the intercept last
# ~ np.append(error @ X, error.sum()) => np.append(error.sum(), error @ X)

# %% wrong b_means: Gives means over the block instead of sums, so blocks of different sizes do not add up.
# fails: loss is the sum over the rows of −log(probability of the row's own class)
# ~ np.logaddexp(0, -sign * z).sum() => np.logaddexp(0, -sign * z).mean()
# ~ np.append(error @ X, error.sum()) => np.append(error @ X, error.sum()) / len(X)

# %% wrong b_overflow: Log(1 + exp(-yz)) is infinite for a large z, although e to the 1000 is too large for a number.
# fails: loss has only finite numbers
# ~ np.logaddexp(0, -sign * z).sum() => np.log(1 + np.exp(-sign * z)).sum()

# %% wrong b_too_few, edit of right b_bold_driver: Stops after 20 small steps, when each of them still helps a lot.
# fails: The loss of your weights is within 0.5 % of scikit-learn's, in both directions
def descend(evaluate, weights):
    weights = np.array(weights, dtype=float)
    for _ in range(20):
        loss, gradient = evaluate(weights)
        weights = weights - 0.01 * gradient
    return weights

# %% wrong b_too_many, edit of wrong b_too_few: Asks evaluate 5,000 times, and at most 500 are allowed.
# fails: It runs without an error: RuntimeError
# ~ range(20) => range(5000)
# ~ - 0.01 * gradient => - 0.1 * gradient

# %% wrong from_zero, edit of right lbfgs: Begins at zero, whatever it is given.
# fails: It starts at the given weights
# ~ evaluate(w), weights, jac=True => evaluate(w), 0 * weights, jac=True
