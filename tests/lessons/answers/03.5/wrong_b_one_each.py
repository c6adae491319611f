"""Wrong: one task for each number, not at most 50."""


def batched(client, task, numbers):
    return sum(client.gather(client.map(task, numbers, pure=False)))
