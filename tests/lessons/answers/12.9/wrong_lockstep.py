"""All stages move on together: each round takes as long as its slowest stage."""


def staged_seconds(n_bytes, piece, stages):
    sizes = [min(piece, n_bytes - i) for i in range(0, n_bytes, piece)]
    total = 0.0
    for r in range(len(sizes) + len(stages) - 1):
        total += max(a + sizes[r - k] / v for k, (a, v) in enumerate(stages) if 0 <= r - k < len(sizes))
    return total
