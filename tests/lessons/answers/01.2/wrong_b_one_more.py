"""Wrong: adds one also if the data fits exactly."""


def nodes_needed(data_bytes, node_bytes, usable=1.0):
    return int(data_bytes // (node_bytes * usable)) + 1
