"""Right: futures of chunks, then client.map on them."""


def train_each(client, X, y, train):
    xs = client.compute([chunk for row in X.to_delayed().tolist() for chunk in row])
    ys = client.compute(y.to_delayed().flatten().tolist())
    return list(client.gather(client.map(train, xs, ys, pure=False)))
