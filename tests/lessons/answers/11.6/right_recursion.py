"""Style: recursion, one buffer leaves at a time."""


def to_spill(buffers, needed, limit):
    may_leave = [b for b in buffers if not b["exposed"]]
    if not may_leave or sum(b["bytes"] for b in buffers) + needed <= limit:
        return []
    oldest = min(may_leave, key=lambda b: b["last_used"])
    others = [b for b in buffers if b is not oldest]
    return [oldest["name"]] + to_spill(others, needed, limit)
