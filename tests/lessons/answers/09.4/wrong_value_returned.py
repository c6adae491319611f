def tree_of_futures(client, futures, merge):
    while len(futures) > 1:
        pairs = [futures[place : place + 2] for place in range(0, len(futures), 2)]
        futures = [client.submit(merge, *pair, pure=False) if len(pair) == 2 else pair[0] for pair in pairs]
    return futures[0].result()
