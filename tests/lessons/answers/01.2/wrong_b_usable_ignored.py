"""Wrong: ignores usable, and fills the whole memory."""

import math


def nodes_needed(data_bytes, node_bytes, usable=1.0):
    return math.ceil(data_bytes / node_bytes)
