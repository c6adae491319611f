"""A Dask bag in twenty partitions."""

import dask.bag as db


def batched(client, task, numbers):
    return db.from_sequence(numbers, npartitions=20).map(task).sum(split_every=64).compute(scheduler=client)
