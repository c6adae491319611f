def order(graph):
    result = []

    def visit(task):
        for need in graph[task]:
            visit(need)
        if task not in result:
            result.append(task)

    for task in graph:
        visit(task)
    return result
