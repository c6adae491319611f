"""Wrong: batches of 50 numbers are not 50 batches, so many numbers make too many tasks."""


def batched(client, task, numbers):
    numbers = list(numbers)
    batches = [numbers[i : i + 50] for i in range(0, len(numbers), 50)]
    return sum(client.gather(client.map(lambda batch: sum(map(task, batch)), batches, pure=False)))
