"""A heap of those that may leave."""

import heapq


def to_spill(buffers, needed, limit):
    excess = sum(one["bytes"] for one in buffers) + needed - limit
    heap = [(one["last_used"], one["name"], one["bytes"]) for one in buffers if not one["exposed"]]
    heapq.heapify(heap)
    gone = []
    while excess > 0 and heap:
        _, name, size = heapq.heappop(heap)
        gone.append(name)
        excess -= size
    return gone
