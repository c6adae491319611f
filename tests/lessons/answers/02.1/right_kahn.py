from collections import deque


def order(graph):
    left = {task: len(set(needs)) for task, needs in graph.items()}
    ready = deque(task for task, number in left.items() if number == 0)
    result = []
    while ready:
        done = ready.popleft()
        result.append(done)
        for task, needs in graph.items():
            if done in needs:
                left[task] -= 1
                if left[task] == 0:
                    ready.append(task)
    if len(result) < len(graph):
        raise ValueError("circle")
    return tuple(result)
