"""The most recently used buffers leave first: the order is the wrong way round."""


def to_spill(buffers, needed, limit):
    used = sum(b["bytes"] for b in buffers)
    names = []
    for b in sorted(buffers, key=lambda b: -b["last_used"]):
        if used + needed <= limit:
            break
        if not b["exposed"]:
            used -= b["bytes"]
            names.append(b["name"])
    return names
