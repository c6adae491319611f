"""Exposed buffers are left out of the sum, too."""


def to_spill(buffers, needed, limit):
    old = sorted((one for one in buffers if not one["exposed"]), key=lambda one: one["last_used"])
    used = sum(one["bytes"] for one in old)
    gone = []
    for one in old:
        if used + needed <= limit:
            break
        gone.append(one["name"])
        used -= one["bytes"]
    return gone
