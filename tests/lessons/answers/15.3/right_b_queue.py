"""Right: walks through the moments in order with a queue of the flights in the window."""

from collections import deque

import numpy as np


def airport_now(left, delay, asked, window=60.0):
    flights = iter(sorted(zip([float(t) for t in left], [float(d) for d in delay])))
    coming = next(flights, None)
    queue = deque()
    answer = np.zeros(len(asked))
    for place in np.argsort(asked, kind="stable"):
        moment = asked[place]
        while coming is not None and coming[0] <= moment:
            queue.append(coming)
            coming = next(flights, None)
        while queue and queue[0][0] <= moment - window:
            queue.popleft()
        if queue:
            answer[place] = sum(one for _, one in queue) / len(queue)
    return answer
