"""Style: one plain loop with running values, no max() or sum()."""


def largest_request(free, pool_size, maximum):
    largest, total = 0, 0
    for _, size in free:
        total += size
        if size > largest:
            largest = size
    fragmentation = 0
    if total:
        fragmentation = (total - largest) / total
    can_grow = maximum - pool_size
    if can_grow > largest:
        return can_grow, fragmentation
    return largest, fragmentation
