import dask


def train_each(client, X, y, train):
    models = []
    for row, labels in zip(X.to_delayed(), y.to_delayed(), strict=False):
        models.append(client.compute(dask.delayed(lambda a, b: train(a, b))(row[0], labels)))
    return client.gather(models)
