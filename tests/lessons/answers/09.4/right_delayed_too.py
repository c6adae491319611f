"""Right: a lazy tree of delayed calls, submitted at once with client.compute."""

from dask import delayed


def tree_of_futures(client, futures, merge):
    if len(futures) == 1:
        return futures[0]
    row = list(futures)
    call = delayed(merge, pure=False)
    while len(row) > 1:
        row = [call(*row[i : i + 2]) if i + 1 < len(row) else row[i] for i in range(0, len(row), 2)]
    return client.compute(row[0])
