import dask
from dask import delayed


def three_answers(pieces):
    rows = delayed(sum)([piece.size for piece in pieces])
    means = [piece.mean() for piece in pieces]
    worst = delayed(max)([piece.max() for piece in pieces])
    rows, means, worst = dask.compute(rows, means, worst)
    return rows, sum(means) / len(means), worst
