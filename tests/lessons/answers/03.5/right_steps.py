"""Every thirtieth number in one task; the sums are added up on a worker."""


def batched(client, task, numbers):
    def several(batch):
        total = 0
        for number in batch:
            total += task(number)
        return total

    futures = [client.submit(several, numbers[start::30], pure=False) for start in range(30)]
    return client.submit(sum, futures).result()
