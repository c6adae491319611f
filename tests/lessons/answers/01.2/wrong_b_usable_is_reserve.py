"""Wrong: takes usable for the part that stays free (1 - usable)."""

import math


def nodes_needed(data_bytes, node_bytes, usable=1.0):
    return math.ceil(data_bytes / (node_bytes * ((1 - usable) or 1)))
