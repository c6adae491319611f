"""Also what nobody needs."""


def rerun(graph, memory, wanted, lost):
    return {key for key in graph if not memory.get(key, set()) - {lost}}
