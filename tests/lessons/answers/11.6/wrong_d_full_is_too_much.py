"""At the limit exactly, one more leaves."""


def to_spill(buffers, needed, limit):
    used = sum(one["bytes"] for one in buffers)
    gone = []
    for one in sorted(buffers, key=lambda one: one["last_used"]):
        if used + needed >= limit and not one["exposed"]:
            gone.append(one["name"])
            used -= one["bytes"]
    return gone
