# %% right dictionary: Free blocks as a dictionary from start to size, and lists as results.
def rounded(size):
    return size + -size % 256


def take(free, size):
    size, sizes = rounded(size), dict(free)
    start = min((s for s in sizes if sizes[s] >= size), key=lambda s: (sizes[s], s), default=None)
    if start is None:
        return [None, [list(block) for block in free]]
    left = sizes.pop(start) - size
    if left:
        sizes[start + size] = left
    return [start, [[s, sizes[s]] for s in sorted(sizes)]]


def give_back(free, start, size):
    size, sizes = rounded(size), dict(free)
    before = next((s for s, n in sizes.items() if s + n == start), None)
    if before is not None:
        start, size = before, sizes.pop(before) + size
    size += sizes.pop(start + size, 0)
    sizes[start] = size
    return [[s, sizes[s]] for s in sorted(sizes)]

# %% right numpy: Arrays: starts and sizes.
import numpy as np


def take(free, size):
    need = int(np.ceil(size / 256)) * 256
    table = np.array(free, dtype=np.int64).reshape(-1, 2)
    fits = np.flatnonzero(table[:, 1] >= need)
    if not len(fits):
        return None, table
    best = fits[np.argmin(table[fits, 1])]
    start = table[best, 0]
    table[best] += [need, -need]
    return start, table[table[:, 1] > 0]


def give_back(free, start, size):
    need = int(np.ceil(size / 256)) * 256
    table = np.array([*free, (start, need)], dtype=np.int64)
    table = table[table[:, 0].argsort()]
    ends = table.sum(axis=1)
    first = np.append(True, table[1:, 0] != ends[:-1])
    group = first.cumsum() - 1
    return [(int(table[group == one, 0].min()), int(table[group == one, 1].sum())) for one in range(group[-1] + 1)]

# %% right sorted_and_merged: Style: sort by (size, start) to choose; sort everything and merge in one pass to give back; returns the very list that it got if nothing fits.
def take(free, size):
    size = -(-size // 256) * 256
    for length, start in sorted((length, start) for start, length in free):
        if length >= size:
            rest = [block for block in free if block[0] != start]
            if length > size:
                rest.append((start + size, length - size))
            return start, sorted(rest)
    return None, free


def give_back(free, start, size):
    size = -(-size // 256) * 256
    result = []
    for begin, length in sorted([*free, (start, size)]):
        if result and sum(result[-1]) == begin:
            result[-1] = (result[-1][0], result[-1][1] + length)
        else:
            result.append((begin, length))
    return result

# %% wrong exact_fit_leaves_nothing, edit of the solution: A block of exactly that size leaves an empty one behind.
# fails: The remainder stays free, and all other blocks are unchanged
# ~ whole > size => whole >= size

# %% wrong end_of_the_block, edit of the solution: Gives out the end of the block.
# fails: It uses the start of the smallest free block that is large enough
# ~ start + size => start
# ~ return start, sorted => return start + whole - size, sorted

# %% wrong rounding_in_take_only, edit of the solution: What is given back is not rounded up: bytes are lost.
# fails: Freed memory merges with its free neighbours, in address order
# ~ sum(merged[-1]) == begin:  # the last one ends where this one begins => merged[-1][0] + merged[-1][1] == begin:
# -     """Return the free blocks after a block was given back."""
# -     size = -(-size // 256) * 256
