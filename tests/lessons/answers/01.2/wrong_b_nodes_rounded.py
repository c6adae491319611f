"""Wrong: rounds up before it divides by usable, so the number is not the smallest."""

import math


def nodes_needed(data_bytes, node_bytes, usable=1.0):
    return math.ceil(math.ceil(data_bytes / node_bytes) / usable)
