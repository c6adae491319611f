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
