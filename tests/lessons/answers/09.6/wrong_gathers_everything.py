import numpy as np


def train_each(client, X, y, train):
    ends = np.cumsum(X.chunks[0])[:-1]
    pairs = zip(np.split(X.compute(), ends), np.split(y.compute(), ends), strict=False)
    return [train(rows, labels) for rows, labels in pairs]
