"""Rounds until nothing is added any more."""


def rerun(graph, memory, wanted, lost):
    gone = {key for key in graph if not set(memory.get(key, ())) - {lost}}
    again = set(wanted) & gone
    while True:
        more = {needed for key in again for needed in graph[key]} & gone
        if more <= again:
            return again
        again |= more
