# %% right b_graphlib: TopologicalSorter of the standard library; its CycleError is a ValueError.
from graphlib import TopologicalSorter


def order(graph):
    return list(TopologicalSorter(graph).static_order())

# %% right b_rounds: Round after round, all tasks whose needs are done already.
def order(graph):
    done = []
    waiting = list(graph)
    while waiting:
        ready = [task for task in waiting if all(need in done for need in graph[task])]
        if not ready:
            raise ValueError(f"there is a circle among {waiting}")
        done += ready
        waiting = [task for task in waiting if task not in ready]
    return done

# %% wrong as_given
# fails: Each task comes after everything it needs, in 200 random graphs
def order(graph):
    return list(graph)

# %% wrong b_circle_left_out, edit of the solution: With a circle it returns the tasks that can be done, instead of a ValueError.
# fails: A graph with a cycle raises a ValueError
# ~ raise ValueError("There is a circle.") => return done

# %% wrong b_diamond_is_circle: A task that two others need is taken for a circle, because it is visited twice.
# fails: It runs without an error: ValueError
# -     return list(TopologicalSorter(graph).static_order())
# +     needed = [need for needs in graph.values() for need in needs]
# +     if len(needed) > len(set(needed)):
# +         raise ValueError("circle")
# +     return list(TopologicalSorter(graph).static_order())

# %% wrong only_with_needs
# fails: Each task is in the list exactly once
# -     return list(TopologicalSorter(graph).static_order())
# +     found = TopologicalSorter({task: needs for task, needs in graph.items() if needs}).static_order()
# +     return [task for task in found if graph[task]]
