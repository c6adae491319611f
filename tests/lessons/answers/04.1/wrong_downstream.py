"""Goes to what depends on a lost key instead of what it needs."""


def rerun(graph, memory, wanted, lost):
    again = {key for key in wanted if memory.get(key) == {lost}}
    for _ in graph:
        again |= {key for key, needed in graph.items() if again & set(needed)}
    return again
