"""What does not fill a batch is lost."""


def batched(client, task, numbers):
    def several(batch):
        return sum(task(number) for number in batch)

    size = len(numbers) // 40
    batches = [numbers[number * size : (number + 1) * size] for number in range(40)]
    return sum(client.gather(client.map(several, batches, pure=False)))
