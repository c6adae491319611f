# %% right array: Returns one array of two numbers.
import numpy as np


def copies(calls, nbytes):
    sides = np.array([True, *(fast for _, fast, _ in calls)], dtype=int)
    sizes = np.array([nbytes, *(size for _, _, size in calls)], dtype=float)[:-1]
    change = np.diff(sides)
    return np.array([sizes[change == -1].sum(), sizes[change == 1].sum()])

# %% right list
def copies(calls, nbytes):
    copied = [0, 0]
    on_device = True
    for _, fast, result in calls:
        if fast != on_device:
            copied[fast] += nbytes
        on_device, nbytes = fast, result
    return copied

# %% right recursive
def copies(calls, nbytes, on_device=True):
    if not calls:
        return 0, 0
    (_, fast, result), *rest = calls
    host, device = copies(rest, result, fast)
    return host + nbytes * (on_device and not fast), device + nbytes * (fast and not on_device)

# %% wrong b_total, edit of the solution: Returns one number for both directions together.
# fails: It returns two values: bytes to the host and bytes to the device
# ~ return to_host, to_device => return to_host + to_device

# %% wrong hard_coded
# fails: Without a call, nothing is copied
def copies(calls, nbytes):
    return 16_000_000, 8_000_000

# %% wrong single_precision: Adds in 4 bytes, which have no room for each number of bytes above 16 million.
# fails: Each call copies the object it is made on, at its current size
# ~ dtype=float => dtype=np.float32
