"""Wrong: the level of a task is the shortest way to it, so a longer chain of needs comes too late."""


def order(graph):
    from graphlib import TopologicalSorter

    TopologicalSorter(graph).prepare()
    levels = {}

    def level(task):
        if task not in levels:
            levels[task] = 1 + min((level(need) for need in graph[task]), default=0)
        return levels[task]

    return sorted(graph, key=level)
