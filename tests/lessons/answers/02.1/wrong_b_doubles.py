"""Wrong: a task that is needed twice is in the list twice."""


def order(graph):
    result = []

    def visit(task, path):
        if task in path:
            raise ValueError("circle")
        for need in graph[task]:
            visit(need, path | {task})
        result.append(task)

    needed = {need for needs in graph.values() for need in needs}
    starts = [task for task in graph if task not in needed]
    if graph and not starts:
        raise ValueError("circle")
    for task in starts:
        visit(task, frozenset())
    return result
