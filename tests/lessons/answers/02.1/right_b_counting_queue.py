"""Kahn's algorithm with counters and a deque."""

from collections import defaultdict, deque


def order(graph):
    missing = {task: len(set(needs)) for task, needs in graph.items()}
    users = defaultdict(list)
    for task, needs in graph.items():
        for need in set(needs):
            users[need].append(task)
    queue = deque(task for task, count in missing.items() if count == 0)
    result = []
    while queue:
        task = queue.popleft()
        result.append(task)
        for user in users[task]:
            missing[user] -= 1
            if missing[user] == 0:
                queue.append(user)
    if len(result) < len(graph):
        raise ValueError("circle")
    return result
