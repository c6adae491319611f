"""Wrong: the size is rounded down, so what is left makes more than 50 tasks."""


def batched(client, task, numbers):
    numbers = list(numbers)
    size = max(1, len(numbers) // 50)
    batches = [numbers[i : i + size] for i in range(0, len(numbers), size)]
    return sum(client.gather(client.map(lambda batch: sum(map(task, batch)), batches, pure=False)))
