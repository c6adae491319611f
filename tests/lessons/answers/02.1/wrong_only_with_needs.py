from graphlib import TopologicalSorter


def order(graph):
    found = TopologicalSorter({task: needs for task, needs in graph.items() if needs}).static_order()
    return [task for task in found if graph[task]]
