"""Wrong: a task that two others need is taken for a circle, because it is visited twice."""


def order(graph):
    result = []

    def visit(task, seen):
        if task in seen:
            raise ValueError("circle")
        seen.add(task)
        for need in graph[task]:
            visit(need, seen)
        if task not in result:
            result.append(task)

    for task in graph:
        visit(task, set())
    return result
