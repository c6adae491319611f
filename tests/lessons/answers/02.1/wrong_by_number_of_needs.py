def order(graph):
    return sorted(graph, key=lambda task: len(graph[task]))
