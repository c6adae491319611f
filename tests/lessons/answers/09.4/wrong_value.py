"""Wrong: returns the value (result()) in place of the future."""


def tree_of_futures(client, futures, merge):
    futures = list(futures)
    while len(futures) > 1:
        merged = [client.submit(merge, one, other) for one, other in zip(futures[::2], futures[1::2], strict=False)]
        if len(futures) % 2:
            merged.append(futures[-1])
        futures = merged
    return futures[0].result()
