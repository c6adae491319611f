"""Right: client.map over even and odd places, one round after the other."""


def tree_of_futures(client, futures, merge):
    row = tuple(futures)
    while len(row) > 1:
        pairs = len(row) // 2
        merged = client.map(merge, row[0 : 2 * pairs : 2], row[1 : 2 * pairs : 2], pure=False)
        row = (*merged, *row[2 * pairs :])
    return row[0]
