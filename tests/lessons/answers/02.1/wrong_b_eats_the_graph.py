"""Wrong: takes the finished needs out of the caller's graph, which must be left as it was."""


def order(graph):
    done = []
    while graph:
        ready = [task for task, needs in graph.items() if not needs]
        if not ready:
            raise ValueError("circle")
        for task in ready:
            del graph[task]
        for needs in graph.values():
            needs[:] = [need for need in needs if need not in ready]
        done += ready
    return done
