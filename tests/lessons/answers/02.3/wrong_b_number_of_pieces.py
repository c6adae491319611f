"""Wrong: counts the pieces, not the values in them."""

import dask
from dask import delayed


def three_answers(pieces):
    total, worst = dask.compute(
        delayed(sum)([piece.sum() for piece in pieces]), delayed(max)([piece.max() for piece in pieces])
    )
    return len(pieces), total / len(pieces), worst
