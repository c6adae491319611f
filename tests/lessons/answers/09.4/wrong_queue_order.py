"""Wrong: a queue: two from the front, the merged one to the end; with an odd number the order is lost."""

from collections import deque


def tree_of_futures(client, futures, merge):
    queue = deque(futures)
    while len(queue) > 1:
        one, other = queue.popleft(), queue.popleft()
        queue.append(client.submit(merge, one, other))
    return queue[0]
