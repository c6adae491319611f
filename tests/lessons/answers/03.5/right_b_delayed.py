"""delayed batches of at most 49, and one delayed sum as the last task."""

from dask import delayed


def one_batch(task, batch):
    return sum(map(task, batch))


def batched(client, task, numbers):
    numbers = list(numbers)
    n = min(40, len(numbers))
    edges = [len(numbers) * i // n for i in range(n + 1)] if n else [0]
    parts = [delayed(one_batch)(task, numbers[a:b]) for a, b in zip(edges, edges[1:])]
    return client.compute(delayed(sum)(parts)).result()
