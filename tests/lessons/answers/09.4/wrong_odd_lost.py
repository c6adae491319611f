"""Wrong: with an odd number in a round, the last future is lost."""


def tree_of_futures(client, futures, merge):
    futures = list(futures)
    while len(futures) > 1:
        futures = [client.submit(merge, one, other) for one, other in zip(futures[::2], futures[1::2], strict=False)]
    return futures[0]
