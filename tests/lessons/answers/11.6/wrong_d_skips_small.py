"""Looks for one that is large enough alone, the oldest of these first."""


def to_spill(buffers, needed, limit):
    over = sum(one["bytes"] for one in buffers) + needed - limit
    if over <= 0:
        return []
    old = sorted((one for one in buffers if not one["exposed"]), key=lambda one: one["last_used"])
    for one in old:
        if one["bytes"] >= over:
            return [one["name"]]
    gone = []
    for one in old:
        if over <= 0:
            break
        gone.append(one["name"])
        over -= one["bytes"]
    return gone
