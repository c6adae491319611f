import numpy as np
from sklearn.linear_model import LinearRegression


def fit_link(sizes, seconds):
    t = np.asarray(seconds)
    model = LinearRegression().fit(np.asarray(sizes, dtype=float)[:, None], t, sample_weight=t**-2.0)
    return float(model.intercept_), float(1 / model.coef_[0])


def half_size(alpha, beta):
    low, high = 0.0, 1e18
    for _ in range(300):
        middle = (low + high) / 2
        if middle / (alpha + middle / beta) < beta / 2:
            low = middle
        else:
            high = middle
    return high
