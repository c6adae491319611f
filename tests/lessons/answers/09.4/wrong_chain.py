"""Wrong: a chain of tasks: n - 1 merges one after the other, no tree."""


def tree_of_futures(client, futures, merge):
    result = futures[0]
    for other in futures[1:]:
        result = client.submit(merge, result, other)
    return result
