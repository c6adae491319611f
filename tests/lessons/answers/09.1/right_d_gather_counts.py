"""Counts of all ranks by allgather, and one future per chunk."""

from distributed import get_client


def late_on_ranks(comm, own):
    late = 0
    for minutes in own:
        if minutes > 0:
            late += 1
    return sum(comm.allgather(late))


def count(block):
    return sum(1 for minutes in block if minutes > 0)


def late_with_dask(y):
    client = get_client()
    parts = client.compute(list(y.to_delayed().ravel()))
    return sum(client.gather(client.map(count, parts, pure=False)))
