def train_each(client, X, y, train):
    rows = client.compute(list(X.to_delayed().ravel())[1:])
    labels = client.compute(list(y.to_delayed().ravel())[1:])
    return client.gather(client.map(train, rows, labels, pure=False))
