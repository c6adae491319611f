"""Blocks from an iterator with islice, and client.submit in a loop."""

from itertools import islice


def total_of(task, block):
    total = 0
    for number in block:
        total += task(number)
    return total


def batched(client, task, numbers):
    numbers = list(numbers)
    size = max(1, -(-len(numbers) // 50))
    source = iter(numbers)
    futures = []
    while block := list(islice(source, size)):
        futures.append(client.submit(total_of, task, block, pure=False))
    return sum(future.result() for future in futures)
