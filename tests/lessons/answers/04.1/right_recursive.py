"""A function that calls itself."""


def rerun(graph, memory, wanted, lost):
    found = set()

    def compute(key):
        if key in found:
            return
        found.add(key)
        for needed in graph[key]:
            if not any(worker != lost for worker in memory.get(key_of(needed), ())):
                compute(needed)

    def key_of(name):
        return name

    for key in wanted:
        if all(worker == lost for worker in memory.get(key, ())):
            compute(key)
    return found
