"""math.ceil of a quotient."""

import math


def nodes_needed(data_bytes, node_bytes, usable=1.0):
    return math.ceil(data_bytes / (node_bytes * usable))
