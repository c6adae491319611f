"""Style: heapq, while loop; returns a tuple of names."""

import heapq


def to_spill(buffers, needed, limit):
    used = sum(b["bytes"] for b in buffers)
    heap = [(b["last_used"], b["bytes"], b["name"]) for b in buffers if not b["exposed"]]
    heapq.heapify(heap)
    gone = ()
    while heap and used + needed > limit:
        _, size, name = heapq.heappop(heap)
        used -= size
        gone += (name,)
    return gone
