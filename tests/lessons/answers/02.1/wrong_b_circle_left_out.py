"""Wrong: with a circle it returns the tasks that can be done, instead of a ValueError."""


def order(graph):
    done = []
    while True:
        ready = [task for task in graph if task not in done and all(need in done for need in graph[task])]
        if not ready:
            return done
        done += ready
