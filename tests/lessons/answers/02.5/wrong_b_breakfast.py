"""Wrong: the number of the breakfast is fixed for every graph."""


def count_orders(graph):
    return 8
