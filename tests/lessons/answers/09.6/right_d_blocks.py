"""Blocks by their number, persisted first; one submit for each."""


def train_each(client, X, y, train):
    X, y = client.persist([X, y])
    models = []
    for number in range(X.numblocks[0]):
        rows = client.compute(X.blocks[number])
        aims = client.compute(y.blocks[number])
        models.append(client.submit(train, rows, aims, pure=False))
    return [model.result() for model in models]
