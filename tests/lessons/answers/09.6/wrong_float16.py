def train_each(client, X, y, train):
    rows = client.compute(list(X.astype("float16").to_delayed().ravel()))
    labels = client.compute(list(y.to_delayed().ravel()))
    return client.gather(client.map(train, rows, labels, pure=False))
