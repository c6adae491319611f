"""Wrong: rounds to the nearest number, so sometimes the nodes do not hold the data."""


def nodes_needed(data_bytes, node_bytes, usable=1.0):
    return max(1, round(data_bytes / (node_bytes * usable)))
