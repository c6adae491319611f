"""Wrong: sorts by the number of needs, which does not put each task after everything it needs."""


def order(graph):
    for task, needs in graph.items():
        if task in needs or any(task in graph[need] for need in needs):
            raise ValueError("circle")
    return sorted(graph, key=lambda task: len(graph[task]))
