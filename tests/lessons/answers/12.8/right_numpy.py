import numpy as np


def shuffled_bytes(left, right, n_workers):
    def row(table):
        return 8 + np.sum([table[name].to_numpy().itemsize for name in table])

    return np.dot([len(left), len(right)], [row(left), row(right)]) / n_workers * (n_workers - 1)
