"""If all that may leave is not enough, it gives up and returns an empty list."""


def to_spill(buffers, needed, limit):
    used = sum(b["bytes"] for b in buffers)
    names = []
    for b in sorted(buffers, key=lambda b: b["last_used"]):
        if used + needed <= limit:
            return names
        if not b["exposed"]:
            used -= b["bytes"]
            names.append(b["name"])
    return names if used + needed <= limit else []
