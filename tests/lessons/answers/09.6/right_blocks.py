"""Right: X.blocks[i] and y.blocks[i] as arguments of delayed, a plain loop, results one by one."""

import dask


def train_each(client, X, y, train):
    waiting = []
    for number in range(X.numblocks[0]):
        task = dask.delayed(train, pure=False)(X.blocks[number], y.blocks[number])
        waiting.append(client.compute(task))
    models = []
    for future in waiting:
        models.append(future.result())
    return models
