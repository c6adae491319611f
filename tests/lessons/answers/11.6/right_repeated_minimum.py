"""The oldest again and again, and a tuple as result."""


def to_spill(buffers, needed, limit):
    left = list(buffers)
    leaving = ()
    while sum(one["bytes"] for one in left) + needed > limit:
        movable = [one for one in left if not one["exposed"]]
        if not movable:
            break
        oldest = min(movable, key=lambda one: one["last_used"])
        left = [one for one in left if one is not oldest]
        leaving += (oldest["name"],)
    return leaving
