"""A Dask bag whose partitions are the pieces, reduced by fold-like steps."""

import dask.bag as db


def of_piece(piece):
    return [(piece.size, piece.sum(), piece.max())]


def merge(parts):
    flat = [entry for part in parts for entry in part]
    return [(sum(n for n, _, _ in flat), sum(s for _, s, _ in flat), max(m for _, _, m in flat))]


def three_answers(pieces):
    ((rows, total, worst),) = db.from_delayed(pieces).reduction(of_piece, merge).compute()
    return rows, total / rows, worst
