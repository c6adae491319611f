"""Wrong: also repeats everything that uses a repeated key, though it is held by another worker."""


def rerun(graph, memory, wanted, lost):
    again = {key for key in wanted if not memory.get(key, set()) - {lost}}
    changed = True
    while changed:
        before = len(again)
        for key in list(again):
            again |= {needed for needed in graph[key] if not memory.get(needed, set()) - {lost}}
        again |= {key for key, inputs in graph.items() if key in wanted and again & set(inputs)}
        changed = len(again) > before
    return again
