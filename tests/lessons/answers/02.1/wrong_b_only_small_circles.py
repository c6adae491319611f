"""Wrong: finds circles of one or two tasks only; longer ones give an order, although there is none."""


def order(graph):
    result = []

    def visit(task):
        if task in result or task in path:
            return
        path.add(task)
        for need in graph[task]:
            if need == task or task in graph[need]:
                raise ValueError("circle")
            visit(need)
        path.discard(task)
        result.append(task)

    path = set()
    for task in graph:
        visit(task)
    return result
