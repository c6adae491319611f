def count_orders(graph):
    if not graph:
        return 1
    total = 0
    for task in graph:
        if not any(need in graph for need in graph[task]):
            total += count_orders({other: graph[other] for other in graph if other != task})
    return total
