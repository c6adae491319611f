"""A recursive generator yields every order; they are counted one by one."""


def all_orders(graph, done=()):
    if len(done) == len(graph):
        yield done
    for task in graph:
        if task not in done and set(graph[task]) <= set(done):
            yield from all_orders(graph, (*done, task))


def count_orders(graph):
    return sum(1 for _ in all_orders(graph))
