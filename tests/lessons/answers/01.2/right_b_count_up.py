"""Doubling and then bisection: looks for the first number of nodes that holds the data."""


def nodes_needed(data_bytes, node_bytes, usable=1.0):
    def holds(nodes):
        return nodes * (node_bytes * usable) >= data_bytes

    high = 1
    while not holds(high):
        high *= 2
    low = 0
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low
