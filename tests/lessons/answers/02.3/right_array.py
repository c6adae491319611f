import numpy as np
from dask import delayed


@delayed
def merge(found):
    rows, totals, worst = np.array(found).T
    return [int(rows.sum()), totals.sum() / rows.sum(), worst.max()]


def three_answers(pieces):
    return merge([delayed(lambda p: (p.size, p.sum(), p.max()))(piece) for piece in pieces]).compute()
