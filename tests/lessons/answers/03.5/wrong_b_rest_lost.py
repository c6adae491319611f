"""Wrong: 50 batches of equal size, and the numbers that are left over are lost."""


def batched(client, task, numbers):
    numbers = list(numbers)
    size = len(numbers) // 50
    batches = [numbers[i * size : (i + 1) * size] for i in range(50)]
    return sum(client.gather(client.map(lambda batch: sum(map(task, batch)), batches, pure=False)))
