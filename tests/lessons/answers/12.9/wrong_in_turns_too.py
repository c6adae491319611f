"""Adds up all stages for all pieces: nothing overlaps."""


def staged_seconds(n_bytes, piece, stages):
    total, left = 0.0, n_bytes
    while left > 0:
        size = min(piece, left)
        left -= size
        total += sum(a + size / v for a, v in stages)
    return total
