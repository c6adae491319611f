"""Batches of 20: few enough for one length of the list only."""


def batched(client, task, numbers):
    def several(batch):
        return sum(task(number) for number in batch)

    batches = [numbers[start : start + 20] for start in range(0, len(numbers), 20)]
    return sum(client.gather(client.map(several, batches, pure=False)))
