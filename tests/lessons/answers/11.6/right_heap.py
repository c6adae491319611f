"""A heap of those that may leave."""

import heapq


def to_spill(buffers, needed, limit):
    too_many = sum(b["bytes"] for b in buffers) + needed - limit
    heap = [(b["last_used"], b["name"], b["bytes"]) for b in buffers if not b["exposed"]]
    heapq.heapify(heap)
    leaving = []
    while too_many > 0 and heap:
        _, name, nbytes = heapq.heappop(heap)
        leaving.append(name)
        too_many -= nbytes
    return leaving
