"""Every fiftieth number in one batch, by strides and client.map."""


def batched(client, task, numbers):
    numbers = list(numbers)

    def work(batch):
        return sum(task(number) for number in batch)

    batches = [numbers[i::50] for i in range(min(50, len(numbers)))]
    return sum(client.gather(client.map(work, batches, pure=False)))
