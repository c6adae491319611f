"""Wrong: rounds down, so the nodes do not hold the data."""


def nodes_needed(data_bytes, node_bytes, usable=1.0):
    return int(data_bytes / (node_bytes * usable))
