def nodes_needed(data_bytes, node_bytes, usable=1.0):
    nodes = 1
    while nodes * node_bytes * usable < data_bytes:
        nodes += 1
    return nodes
