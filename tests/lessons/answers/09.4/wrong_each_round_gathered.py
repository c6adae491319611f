def tree_of_futures(client, futures, merge):
    while len(futures) > 1:
        values = client.gather(futures)
        pairs = [values[place : place + 2] for place in range(0, len(values), 2)]
        futures = client.scatter([merge(*pair) if len(pair) == 2 else pair[0] for pair in pairs])
    return futures[0]
