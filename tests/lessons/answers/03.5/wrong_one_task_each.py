"""One task for each number."""


def batched(client, task, numbers):
    return sum(client.gather(client.map(task, numbers, pure=False)))
