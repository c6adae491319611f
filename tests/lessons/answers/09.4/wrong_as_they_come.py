from distributed import as_completed


def tree_of_futures(client, futures, merge):
    row = list(reversed(list(as_completed(futures))))
    while len(row) > 1:
        odd = [row.pop()] if len(row) % 2 else []
        row = client.map(merge, row[0::2], row[1::2], pure=False) + odd
    return row[0]
