def tree_of_futures(client, futures, merge):
    while len(futures) > 1:
        for place in range(len(futures) // 2):
            futures[place] = client.submit(merge, futures[place], futures.pop(place + 1), pure=False)
    return futures[0]
