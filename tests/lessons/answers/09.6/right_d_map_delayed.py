"""One delayed call per chunk, computed by the client."""

from dask import delayed


def train_each(client, X, y, train):
    pairs = zip(X.to_delayed().ravel(), y.to_delayed().ravel())
    step = delayed(train, pure=False)
    futures = client.compute([step(a, b) for a, b in pairs])
    return client.gather(futures)
