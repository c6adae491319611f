"""Exposed buffers are left out of the sum as well, as if they took no room on the device."""


def to_spill(buffers, needed, limit):
    movable = sorted((b for b in buffers if not b["exposed"]), key=lambda b: b["last_used"])
    used = sum(b["bytes"] for b in movable)
    names = []
    for b in movable:
        if used + needed <= limit:
            break
        used -= b["bytes"]
        names.append(b["name"])
    return names
