"""At exactly the limit one more buffer leaves (>= instead of >)."""


def to_spill(buffers, needed, limit):
    used = sum(b["bytes"] for b in buffers)
    names = []
    for b in sorted(buffers, key=lambda b: b["last_used"]):
        if used + needed >= limit and not b["exposed"]:
            used -= b["bytes"]
            names.append(b["name"])
    return names
