"""Models in the order in which they are ready."""

from distributed import as_completed


def train_each(client, X, y, train):
    rows = client.compute(list(X.to_delayed().ravel()))
    aims = client.compute(list(y.to_delayed().ravel()))
    futures = [client.submit(train, a, b, pure=False) for a, b in zip(rows, aims)]
    return [future.result() for future in as_completed(futures)]
