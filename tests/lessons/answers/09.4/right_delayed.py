import dask


def tree_of_futures(client, futures, merge):
    merge = dask.delayed(merge, pure=False)
    row = [dask.delayed(future) for future in futures]
    while len(row) > 1:
        merged = [merge(one, other) for one, other in zip(row[::2], row[1::2], strict=False)]
        row = merged + row[2 * len(merged) :]
    return client.compute(row[0])
