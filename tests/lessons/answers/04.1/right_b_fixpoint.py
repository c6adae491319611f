"""Right: a fixed point of set comprehensions."""


def rerun(graph, memory, wanted, lost):
    held = {key for key, workers in memory.items() if any(worker != lost for worker in workers)}
    again = set(wanted) - held
    while True:
        more = again | {needed for key in again for needed in graph[key] if needed not in held}
        if more == again:
            return again
        again = more
