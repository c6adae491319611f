"""Wrong: a set loses numbers that appear twice, so the sum is not over all numbers."""


def batched(client, task, numbers):
    numbers = list(set(numbers))
    batches = [numbers[i::50] for i in range(min(50, len(numbers)))]
    return sum(client.gather(client.map(lambda batch: sum(map(task, batch)), batches, pure=False)))
