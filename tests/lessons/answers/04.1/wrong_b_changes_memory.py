"""Wrong: takes the lost worker out of the sets of `memory`; a function "leaves what it is given as it was"."""


def rerun(graph, memory, wanted, lost):
    for workers in memory.values():
        workers.discard(lost)
    again = set()

    def visit(key):
        if not memory.get(key) and key not in again:
            again.add(key)
            for needed in graph[key]:
                visit(needed)

    for key in wanted:
        visit(key)
    return again
