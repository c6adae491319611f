from functools import reduce


def tree_of_futures(client, futures, merge):
    [future] = client.scatter([reduce(merge, client.gather(futures))])
    return future
