def nodes_needed(data_bytes, node_bytes, usable=1.0):
    return round(data_bytes / (node_bytes * usable))
