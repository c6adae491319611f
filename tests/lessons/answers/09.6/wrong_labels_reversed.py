def train_each(client, X, y, train):
    rows = client.compute(list(X.to_delayed().ravel()))
    labels = client.compute(list(y.rechunk(y.chunks)[::-1].rechunk(y.chunks).to_delayed().ravel()))
    return client.gather(client.map(train, rows, labels, pure=False))
