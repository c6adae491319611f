# %% right bag: A Dask bag in twenty partitions.
import dask.bag as db


def batched(client, task, numbers):
    return db.from_sequence(numbers, npartitions=20).map(task).sum(split_every=64).compute(scheduler=client)

# %% right steps: Every thirtieth number in one task; the sums are added up on a worker.
def batched(client, task, numbers):
    def several(batch):
        total = 0
        for number in batch:
            total += task(number)
        return total

    futures = [client.submit(several, numbers[start::30], pure=False) for start in range(30)]
    return client.submit(sum, futures).result()

# %% wrong b_doubles_lost, edit of the solution: A set loses numbers that appear twice, so the sum is not over all numbers.
# fails: It is the sum over all numbers, for any count of them
# ~ """Return the sum of task(number) over all numbers, from at most 50 tasks.""" => numbers = list(set(numbers))

# %% wrong b_few_numbers, edit of the solution: With fewer than 50 numbers the size of a batch is 0, and range fails; there may be only three.
# fails: At most 50 tasks reach the scheduler
# ~ -(-len(numbers) // 40)  # rounded up => len(numbers) // 49

# %% wrong b_in_notebook: Computed in the notebook, not by the workers.
# fails: It runs without an error: ValueError
def batched(client, task, numbers):
    return sum(task(number) for number in numbers)

# %% wrong in_the_notebook: Nothing reaches a worker.
# fails: It is the sum over all numbers, for any count of them
def batched(client, task, numbers):
    def square(number):
        return number * number

    return sum(square(number) for number in numbers)

# %% right two: One batch for each worker.
def batched(client, task, numbers):
    def several(batch):
        return sum(map(task, batch))

    half = len(numbers) // 2
    return sum(client.gather(client.map(several, [numbers[:half], numbers[half:]], pure=False)))

# %% wrong one_task, edit of right two: One task does everything, and all other workers have nothing to do.
# fails: There is at least one task per cook
# -     half = len(numbers) // 2
# -     return sum(client.gather(client.map(several, [numbers[:half], numbers[half:]], pure=False)))
# +     return client.submit(several, numbers, pure=False).result()
