import numpy as np


def principal_components(C, k):
    total = np.trace(C)
    rows, values = [], []
    for _ in range(k):
        w, v = np.linalg.eigh(C)
        rows.append(v[:, -1])
        values.append(w[-1])
        C -= w[-1] * np.outer(v[:, -1], v[:, -1])
    return np.array(rows), np.array(values), np.array(values) / total
