def tree_of_futures(client, futures, merge):
    while len(futures) > 1:
        half = len(futures) // 2
        pairs = client.map(merge, futures[:half], futures[half : 2 * half], pure=False)
        futures = pairs + futures[2 * half :]
    return futures[0]
