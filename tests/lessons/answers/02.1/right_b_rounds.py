"""Round after round, all tasks whose needs are done already."""


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
