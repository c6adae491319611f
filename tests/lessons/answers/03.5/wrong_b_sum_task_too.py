"""Wrong: 50 batches and one more task that adds them, which makes 51 tasks."""


def batched(client, task, numbers):
    numbers = list(numbers)
    batches = [numbers[i::50] for i in range(50)]
    futures = client.map(lambda batch: sum(map(task, batch)), batches, pure=False)
    return client.submit(sum, futures, pure=False).result()
