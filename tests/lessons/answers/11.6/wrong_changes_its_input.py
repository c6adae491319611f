"""Sorts the caller's list in place, and removes from it what leaves."""


def to_spill(buffers, needed, limit):
    buffers.sort(key=lambda b: b["last_used"])
    names = []
    for b in list(buffers):
        if sum(x["bytes"] for x in buffers) + needed <= limit:
            break
        if not b["exposed"]:
            buffers.remove(b)
            names.append(b["name"])
    return names
