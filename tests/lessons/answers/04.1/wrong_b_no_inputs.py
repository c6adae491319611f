"""Wrong: only the wanted results that were lost; "what is not in memory has been released", so their inputs run again, too."""


def rerun(graph, memory, wanted, lost):
    return {key for key in wanted if memory.get(key, set()) <= {lost}}
