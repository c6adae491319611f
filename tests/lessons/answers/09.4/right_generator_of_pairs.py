from itertools import zip_longest


def tree_of_futures(client, futures, merge):
    def next_round(row):
        for one, other in zip_longest(row[::2], row[1::2]):
            yield one if other is None else client.submit(merge, one, other, pure=False)

    while len(futures) > 1:
        futures = list(next_round(futures))
    return futures[0]
