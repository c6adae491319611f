"""Merges neighbours that came from the card in two pieces."""


def largest_request(free, pool_size, maximum):
    merged = []
    for start, size in free:
        if merged and sum(merged[-1]) == start:
            merged[-1] = (merged[-1][0], merged[-1][1] + size)
        else:
            merged.append((start, size))
    sizes = [size for _, size in merged]
    largest = max(sizes, default=0)
    return max(largest, maximum - pool_size), 1 - largest / sum(sizes) if sizes else 0.0
