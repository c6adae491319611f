def count_orders(graph):
    if not graph:
        return 1
    total = 0
    for k in list(graph):
        if not set(graph[k]) & graph.keys():
            graph.pop(k)
            total += count_orders(graph)
    return total
