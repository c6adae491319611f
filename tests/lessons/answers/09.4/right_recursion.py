"""Right: recursion on halves with client.submit."""


def tree_of_futures(client, futures, merge):
    if len(futures) < 2:
        return futures[0]
    half = len(futures) // 2
    return client.submit(
        merge, tree_of_futures(client, futures[:half], merge), tree_of_futures(client, futures[half:], merge)
    )
