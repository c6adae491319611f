"""What was released is forgotten."""


def rerun(graph, memory, wanted, lost):
    return {key for key in wanted if memory.get(key) == {lost}}
