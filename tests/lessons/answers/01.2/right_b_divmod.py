"""divmod, and one node more if something is left."""


def nodes_needed(data_bytes, node_bytes, usable=1.0):
    full, left = divmod(data_bytes, node_bytes * usable)
    return int(full) + (left > 0)
