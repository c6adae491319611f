"""Right: delayed calls on the delayed chunks, all computed at once."""

from dask import delayed


def train_each(client, X, y, train):
    pairs = zip(X.to_delayed().ravel(), y.to_delayed().ravel(), strict=False)
    return client.gather(client.compute([delayed(train, pure=False)(part, labels) for part, labels in pairs]))
