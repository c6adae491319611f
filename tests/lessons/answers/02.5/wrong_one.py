def count_orders(graph):
    return 1
