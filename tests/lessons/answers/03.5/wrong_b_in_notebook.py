"""Wrong: computed in the notebook, not by the workers."""


def batched(client, task, numbers):
    return sum(task(number) for number in numbers)
