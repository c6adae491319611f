"""Wrong: n! divided by the sizes of all subgraphs counts right for trees only."""

from math import factorial


def count_orders(graph):
    def below(task, path=()):
        if task in path:
            raise RecursionError
        found = {task}
        for need in graph[task]:
            found |= below(need, (*path, task))
        return found

    total = factorial(len(graph))
    try:
        for task in graph:
            total //= len(below(task))
    except RecursionError:
        return 0
    return total
