"""Wrong: remembers counts between calls by the finished tasks only, so another graph gets old numbers."""

memory = {}


def count_orders(graph, done=frozenset()):
    if len(done) == len(graph):
        return 1
    if done not in memory:
        memory[done] = sum(
            count_orders(graph, done | {task}) for task in graph if task not in done and set(graph[task]) <= done
        )
    return memory[done]
