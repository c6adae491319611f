def tree_of_futures(client, futures, merge):
    while len(futures) > 1:
        futures = [
            client.submit(merge, one, other, pure=False)
            for one, other in zip(futures[::2], futures[1::2], strict=False)
        ]
    return futures[0]
