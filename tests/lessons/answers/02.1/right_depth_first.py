def order(graph):
    result, state = [], {}

    def visit(task):
        if state.get(task) == "open":
            raise ValueError("circle")
        if task not in state:
            state[task] = "open"
            for need in graph[task]:
                visit(need)
            state[task] = "done"
            result.append(task)

    for task in graph:
        visit(task)
    return result
