def train_each(client, X, y, train):
    rows = client.compute(list(X.to_delayed().ravel()))
    labels = client.compute(list(y.to_delayed().ravel()))
    return client.map(train, rows, labels, pure=False)
