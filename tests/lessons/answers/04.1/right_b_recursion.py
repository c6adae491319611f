"""Right: a recursive walk from the wanted keys, with a memo."""


def rerun(graph, memory, wanted, lost):
    again = set()
    safe = set()

    def visit(key):
        if key in again or key in safe:
            return
        if set(memory.get(key, ())) - {lost}:
            safe.add(key)
            return
        again.add(key)
        for needed in graph[key]:
            visit(needed)

    for key in wanted:
        visit(key)
    return again
