def tree_of_futures(client, futures, merge):
    if len(futures) == 1:
        return futures[0]
    middle = len(futures) // 2
    left = tree_of_futures(client, futures[:middle], merge)
    right = tree_of_futures(client, futures[middle:], merge)
    return client.submit(merge, left, right, pure=False)
