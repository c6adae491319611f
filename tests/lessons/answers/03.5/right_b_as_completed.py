"""as_completed adds up the batches while they come back; ten batches."""

from distributed import as_completed


def batched(client, task, numbers):
    numbers = tuple(numbers)
    batches = [batch for batch in (numbers[i::10] for i in range(10)) if batch]
    futures = client.map(lambda batch: sum([task(n) for n in batch]), batches, pure=False)
    total = 0
    for future in as_completed(futures):
        total += future.result()
    return total
