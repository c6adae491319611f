# %% right map_two_lists
def tree_of_futures(client, futures, merge):
    row = list(futures)
    while len(row) > 1:
        odd = [row.pop()] if len(row) % 2 else []
        row = client.map(merge, row[0::2], row[1::2], pure=False) + odd
    return row[0]

# %% right recursion: Recursion on halves with client.submit.
def tree_of_futures(client, futures, merge):
    if len(futures) < 2:
        return futures[0]
    half = len(futures) // 2
    return client.submit(
        merge, tree_of_futures(client, futures[:half], merge), tree_of_futures(client, futures[half:], merge)
    )

# %% wrong as_they_come
# fails: Each value occurs in the result once, in order
# ~ list(futures) => list(reversed(list(as_completed(futures))))
from distributed import as_completed

# %% wrong chain: A chain of tasks: n - 1 merges one after the other, no tree.
# fails: At most log2(n) merges, rounded up, run in sequence
def tree_of_futures(client, futures, merge):
    result = futures[0]
    for other in futures[1:]:
        result = client.submit(merge, result, other)
    return result

# %% wrong each_round_gathered
# fails: The values are merged on the workers: none is sent to the notebook
def tree_of_futures(client, futures, merge):
    while len(futures) > 1:
        values = client.gather(futures)
        pairs = [values[place : place + 2] for place in range(0, len(values), 2)]
        futures = client.scatter([merge(*pair) if len(pair) == 2 else pair[0] for pair in pairs])
    return futures[0]

# %% wrong empties_list, edit of the solution: Merges in place in the caller's list, which has one element afterwards.
# fails: Inputs are not modified
# ~ futures = [ => futures[:] = [

# %% wrong in_notebook: All values are gathered and merged in the notebook, the result is scattered back.
# fails: It returns one future
from functools import reduce


def tree_of_futures(client, futures, merge):
    return client.scatter(reduce(merge, client.gather(futures)))
