"""Wrong: with fewer than 50 numbers the size of a batch is 0, and range fails; there may be only three."""


def batched(client, task, numbers):
    numbers = list(numbers)
    size = len(numbers) // 49
    batches = [numbers[i : i + size] for i in range(0, len(numbers), size)]
    return sum(client.gather(client.map(lambda batch: sum(map(task, batch)), batches, pure=False)))
