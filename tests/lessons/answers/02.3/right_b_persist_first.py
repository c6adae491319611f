"""The pieces are persisted in one request; then the three questions as before."""

import dask
from dask import delayed


def three_answers(pieces):
    kept = dask.persist(*pieces)
    rows = delayed(sum)([piece.size for piece in kept]).compute()
    total = delayed(sum)([piece.sum() for piece in kept]).compute()
    worst = delayed(max)([piece.max() for piece in kept]).compute()
    return rows, total / rows, worst
