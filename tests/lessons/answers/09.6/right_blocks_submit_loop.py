def train_each(client, X, y, train):
    futures = []
    for place in range(X.numblocks[0]):
        rows = client.compute(X.blocks[place])
        labels = client.compute(y.blocks[place])
        futures.append(client.submit(train, rows, labels, pure=False))
    return [future.result() for future in futures]
