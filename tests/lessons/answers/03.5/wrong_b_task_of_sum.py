"""Wrong: calls task once with the sum of a batch, not once for each number."""


def batched(client, task, numbers):
    numbers = list(numbers)
    sums = [sum(numbers[i::50]) for i in range(min(50, len(numbers)))]
    return sum(client.gather(client.map(task, sums, pure=False)))
