"""Wrong: takes the usable part of the data instead of the memory, so fewer nodes come out, not more."""

import math


def nodes_needed(data_bytes, node_bytes, usable=1.0):
    return math.ceil(data_bytes * usable / node_bytes)
