# %% right numpy: NumPy, and a list as result.
import numpy as np


def largest_request(free, pool_size, maximum):
    sizes = np.array([size for _, size in free] or [0], dtype=float)
    total = sizes.sum()
    return [max(sizes.max(), maximum - pool_size), 1 - sizes.max() / total if total > 0 else 0.0]

# %% right sorted: Sorts, and asks of an exact fraction.
from fractions import Fraction


def largest_request(free, pool_size, maximum):
    sizes = sorted(size for start, size in free)
    share = Fraction(sum(sizes[:-1]), sum(sizes)) if sizes else Fraction(0)
    return sorted([*sizes, maximum - pool_size])[-1], float(share)

# %% wrong block_plus_growth, edit of the solution: Adds what the pool may grow to the largest free block, as if the new piece merged with it.
# fails: A pool that may still grow: the largest request that succeeds
# ~ max(largest, maximum - pool_size) => largest + maximum - pool_size

# %% wrong empty_list_fails: Does not think of a pool that is full.
# fails: It runs without an error: ValueError
def largest_request(free, pool_size, maximum):
    sizes = [size for _, size in free]
    return max(max(sizes), maximum - pool_size), 1 - max(sizes) / sum(sizes)

# %% wrong largest_request_in_share, edit of the solution: The share that the largest *request* leaves, growth included.
# fails: The fragmentation is the fraction of free bytes outside the largest free block
# ~ max(sizes, default=0) => max([*sizes, maximum - pool_size])

# %% wrong merges: Merges neighbours that came from the card in two pieces.
# fails: The fragmentation is the fraction of free bytes outside the largest free block
def largest_request(free, pool_size, maximum):
    merged = []
    for start, size in free:
        if merged and sum(merged[-1]) == start:
            merged[-1] = (merged[-1][0], merged[-1][1] + size)
        else:
            merged.append((start, size))
    sizes = [size for _, size in merged]
    largest = max(sizes, default=0)
    return max(largest, maximum - pool_size), 1 - largest / sum(sizes) if sizes else 0.0

# %% wrong sum_of_free, edit of the solution: All free bytes, as if they were one piece.
# fails: A pool that is as large as it may be: the largest request that succeeds
# ~ max(largest, maximum - pool_size) => max(sum(sizes), maximum - pool_size)
