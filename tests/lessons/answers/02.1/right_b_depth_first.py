"""Depth-first search by a recursive generator, with three colours."""


def order(graph):
    state = {}

    def visit(task):
        if state.get(task) == "done":
            return
        if state.get(task) == "open":
            raise ValueError("there is a circle")
        state[task] = "open"
        for need in graph[task]:
            yield from visit(need)
        state[task] = "done"
        yield task

    return [task for start in graph for task in visit(start)]
