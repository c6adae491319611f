"""A plain loop."""


def largest_request(free, pool_size, maximum):
    best, total = 0, 0
    for block in free:
        total += block[1]
        if block[1] > best:
            best = block[1]
    lost = (total - best) / total if total else 0
    grow = maximum - pool_size
    return (grow if grow > best else best), lost
