"""Wrong: the mean of the means is not the mean of all values if the pieces differ in size."""

import dask
from dask import delayed


def three_answers(pieces):
    rows = delayed(sum)([piece.size for piece in pieces])
    mean = delayed(lambda means: sum(means) / len(means))([piece.mean() for piece in pieces])
    worst = delayed(max)([piece.max() for piece in pieces])
    return dask.compute(rows, mean, worst)
