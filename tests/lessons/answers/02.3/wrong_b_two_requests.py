"""Wrong: two requests, so each piece is loaded twice and not once."""

import dask
from dask import delayed


def three_answers(pieces):
    rows, total = dask.compute(
        delayed(sum)([piece.size for piece in pieces]), delayed(sum)([piece.sum() for piece in pieces])
    )
    worst = delayed(max)([piece.max() for piece in pieces]).compute()
    return rows, total / rows, worst
