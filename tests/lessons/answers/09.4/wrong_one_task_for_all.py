from functools import reduce


def tree_of_futures(client, futures, merge):
    return client.submit(lambda values: reduce(merge, values), list(futures), pure=False)
