# %% right generator: A sum over a generator of list slices.
def warp_steps(takes_a, steps_a, steps_b, lanes=32):
    threads = list(takes_a)
    warps = (threads[i : i + lanes] for i in range(0, len(threads), lanes))
    return sum((steps_a if any(w) else 0) + (0 if all(w) else steps_b) for w in warps)

# %% right reshaped: One row per warp, the last one filled up with copies of the last thread.
import numpy as np


def warp_steps(takes_a, steps_a, steps_b, lanes=32):
    if not len(takes_a):
        return 0
    missing = -len(takes_a) % lanes
    rows = np.concatenate([takes_a, np.repeat(takes_a[-1:], missing)]).reshape(-1, lanes)
    return steps_a * rows.any(axis=1).sum() + steps_b * (~rows).any(axis=1).sum()

# %% right sets: The set of sides that each warp takes, with plain Python.
def warp_steps(takes_a, steps_a, steps_b, lanes=32):
    cost = {True: steps_a, False: steps_b}
    sides = {(place // lanes, bool(side)) for place, side in enumerate(takes_a)}
    return sum(cost[side] for _, side in sides)

# %% wrong always_32: Ignores the argument lanes: always warps of 32.
# fails: Each warp executes every branch that one of its threads takes (warps of another size)
# ~ range(0, len(threads), lanes) => range(0, len(threads), 32)
# ~ i + lanes => i + 32

# %% wrong always_both: Each warp goes through both sides, whatever its threads do.
# fails: Each warp executes every branch that one of its threads takes (warps of 32 lanes)
# ~ (steps_a if any(w) else 0) + (0 if all(w) else steps_b) => steps_a + steps_b

# %% wrong hard_coded: The number of the lesson's own threads.
# fails: Each warp executes every branch that one of its threads takes (warps of 32 lanes)
def warp_steps(takes_a, steps_a, steps_b, lanes=32):
    return 64
