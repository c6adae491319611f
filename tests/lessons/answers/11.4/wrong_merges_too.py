"""Merges blocks that touch each other, although they came from the card in two pieces."""


def largest_request(free, pool_size, maximum):
    merged = []
    for s, n in sorted(free):
        if merged and merged[-1][0] + merged[-1][1] == s:
            merged[-1] = (merged[-1][0], merged[-1][1] + n)
        else:
            merged.append((s, n))
    largest = max((n for _, n in merged), default=0)
    total = sum(n for _, n in merged)
    return max(largest, maximum - pool_size), 1 - largest / total if total else 0
