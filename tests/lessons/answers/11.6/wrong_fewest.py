"""The fewest buffers, by their size: the least recently used may stay."""


def to_spill(buffers, needed, limit):
    over = sum(buffer["bytes"] for buffer in buffers) + needed - limit
    leaving = []
    for buffer in sorted((one for one in buffers if not one["exposed"]), key=lambda one: -one["bytes"]):
        if over <= 0:
            break
        leaving.append(buffer)
        over -= buffer["bytes"]
    return [one["name"] for one in sorted(leaving, key=lambda one: one["last_used"])]
