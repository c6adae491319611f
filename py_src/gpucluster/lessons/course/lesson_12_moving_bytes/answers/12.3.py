import numpy as np

# %% right lstsq
def fit_link(sizes, seconds):
    n, t = np.array(sizes, float), np.array(seconds, float)
    scale = n.max()
    matrix = np.stack([1 / t, n / scale / t], axis=1)
    (alpha, slope), *_ = np.linalg.lstsq(matrix, np.ones(len(t)))
    return np.array([alpha, scale / slope])


def half_size(alpha, beta):
    return beta * alpha

# %% right pandas
import pandas as pd


def fit_link(sizes, seconds):
    table = pd.DataFrame({"n": sizes, "t": seconds}).astype(float)
    table["w"] = table.t**-2
    mean_n = (table.n * table.w).sum() / table.w.sum()
    mean_t = (table.t * table.w).sum() / table.w.sum()
    slope = (table.w * (table.n - mean_n) * (table.t - mean_t)).sum() / (table.w * (table.n - mean_n) ** 2).sum()
    return mean_t - slope * mean_n, slope**-1


def half_size(alpha, beta):
    return alpha * beta

# %% right polyfit: Style: NumPy's polyfit with weights 1 / t, a list as result.
def fit_link(sizes, seconds):
    t = np.asarray(seconds, float)
    slope, alpha = np.polyfit(np.asarray(sizes, float), t, deg=1, w=1 / t)
    return [alpha, 1 / slope]


half_size = lambda alpha, beta: beta * alpha  # noqa: E731

# %% wrong bits
# fails: Exact measurements are fitted exactly
# ~ scale / slope]) => 8 * scale / slope])

# %% wrong first_and_last
# fails: With noise, the relative errors are minimal
# ~ beta * alpha => alpha * beta
def fit_link(sizes, seconds):
    slope = (seconds[-1] - seconds[0]) / (sizes[-1] - sizes[0])
    return seconds[0] - slope * sizes[0], abs(1 / slope)

# %% wrong half: half_size is half of α × β.
# fails: A message of this size reaches half of the bandwidth
# ~ beta * alpha => beta * alpha / 2
