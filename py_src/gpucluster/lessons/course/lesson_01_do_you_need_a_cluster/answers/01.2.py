# %% right b_ceil: math.ceil of a quotient.
import math


def nodes_needed(data_bytes, node_bytes, usable=1.0):
    return math.ceil(data_bytes / (node_bytes * usable))

# %% right floor_of_negative
def nodes_needed(data_bytes, node_bytes, usable=1.0):
    return int(-(-data_bytes // (node_bytes * usable)))

# %% wrong b_floor: Rounds down, so the nodes do not hold the data.
# fails: All the data fits into the nodes
def nodes_needed(data_bytes, node_bytes, usable=1.0):
    return int(data_bytes / (node_bytes * usable))

# %% wrong b_nodes_rounded: Rounds up before it divides by usable, so the number is not the smallest.
# fails: One node fewer would be too few
# ~ data_bytes / (node_bytes * usable) => math.ceil(data_bytes / node_bytes) / usable

# %% wrong b_one_more: Adds one also if the data fits exactly.
# fails: One node fewer would be too few
def nodes_needed(data_bytes, node_bytes, usable=1.0):
    return int(data_bytes // (node_bytes * usable)) + 1

# %% wrong b_usable_ignored: Ignores usable, and fills the whole memory.
# fails: All the data fits into the nodes
# ~ ceil(data_bytes / (node_bytes * usable)) => ceil(data_bytes / node_bytes)

# %% wrong fraction
# fails: It is a whole number
def nodes_needed(data_bytes, node_bytes, usable=1.0):
    return data_bytes / (node_bytes * usable)

# %% wrong single_precision
# fails: One more byte needs one more node
# ~ import math => import numpy as np
# ~ math.ceil(data_bytes / ( => np.ceil(np.float32(data_bytes) / np.float32(
