from distributed import futures_of


def train_each(client, X, y, train):
    X, y = client.persist([X, y])
    by_key = {future.key: future for future in [*futures_of(X), *futures_of(y)]}
    rows = [by_key[(X.name, place, 0)] for place in range(X.numblocks[0])]
    labels = [by_key[(y.name, place)] for place in range(y.numblocks[0])]
    return client.gather([client.submit(train, *pair, pure=False) for pair in zip(rows, labels, strict=False)])
