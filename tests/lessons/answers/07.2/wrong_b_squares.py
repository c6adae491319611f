"""Wrong: the singular values are squared as for a table, but C has variances already."""

import numpy as np


def principal_components(C, k):
    _, values, directions = np.linalg.svd(C)
    variances = values**2
    return directions[:k], variances[:k], variances[:k] / variances.sum()
