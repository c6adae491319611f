"""Wrong: merges in place in the caller's list, which has one element afterwards."""


def tree_of_futures(client, futures, merge):
    while len(futures) > 1:
        merged = [client.submit(merge, one, other) for one, other in zip(futures[::2], futures[1::2], strict=False)]
        if len(futures) % 2:
            merged.append(futures[-1])
        futures[:] = merged
    return futures[0]
