from functools import reduce


def tree_of_futures(client, futures, merge):
    return reduce(lambda one, other: client.submit(merge, one, other, pure=False), futures)
