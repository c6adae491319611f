"""Wrong: returns the sum in the second place, not the mean."""

import dask
from dask import delayed


def three_answers(pieces):
    rows = delayed(sum)([piece.size for piece in pieces])
    total = delayed(sum)([piece.sum() for piece in pieces])
    worst = delayed(max)([piece.max() for piece in pieces])
    return dask.compute(rows, total, worst)
