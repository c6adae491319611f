"""Futures: the pieces become futures, and client.submit asks each of them."""

from distributed import get_client


def size_sum_max(piece):
    return int(piece.size), float(piece.sum()), float(piece.max())


def three_answers(pieces):
    client = get_client()
    loaded = client.compute(list(pieces))
    small = client.gather([client.submit(size_sum_max, piece, pure=False) for piece in loaded])
    rows, total, worst = 0, 0.0, float("-inf")
    for n, s, m in small:
        rows, total, worst = rows + n, total + s, max(worst, m)
    return rows, total / rows, worst
