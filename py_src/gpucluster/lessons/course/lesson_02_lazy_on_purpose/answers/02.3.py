import dask
from dask import delayed

# %% right array
import numpy as np


@delayed
def merge(found):
    rows, totals, worst = np.array(found).T
    return [int(rows.sum()), totals.sum() / rows.sum(), worst.max()]


def three_answers(pieces):
    return merge([delayed(lambda p: (p.size, p.sum(), p.max()))(piece) for piece in pieces]).compute()

# %% right b_one_plan: One single plan: even the mean is lazy, and one compute brings a tuple.
# ~ def merge(found) => def together(sizes, sums, largest)
# ~ rows, totals, worst = np.array(found).T => rows = sum(sizes)
# ~ return [int(rows.sum()), totals.sum() / rows.sum(), worst.max()] => return rows, sum(sums) / rows, max(largest)
# -     return merge([delayed(lambda p: (p.size, p.sum(), p.max()))(piece) for piece in pieces]).compute()
# +     plan = together([p.size for p in pieces], [p.sum() for p in pieces], [p.max() for p in pieces])
# +     return plan.compute()

# %% right b_summary_per_piece: One delayed summary for each piece; the small summaries are put together in the notebook.
def summary(piece):
    return piece.size, piece.sum(), piece.max()


def three_answers(pieces):
    small = dask.compute(*[delayed(summary)(piece) for piece in pieces])
    sizes, sums, largest = zip(*small)
    rows = sum(sizes)
    return rows, sum(sums) / rows, max(largest)

# %% right together_on_a_worker: All pieces are put together on one worker, where they fit; three numbers come back.
# -     return merge([delayed(lambda p: (p.size, p.sum(), p.max()))(piece) for piece in pieces]).compute()
# +     return answers(delayed(np.concatenate)(pieces)).compute()
@delayed
def answers(values):
    return values.size, values.mean(), values.max()

# %% wrong b_largest_from_zero, edit of the solution: The largest begins at 0, so with negative values only it is not the largest of the pieces.
# fails: The largest value is right
# ~ piece.max => 0] + [piece.max

# %% wrong b_whole_minutes, edit of the solution: Integer division cuts the mean.
# fails: The mean of all values is right
# ~ / => //

# %% wrong b_number_of_pieces, edit of right b_summary_per_piece: Counts the pieces, not the values in them.
# fails: The number of values is right
# ~ sum(sizes) => len(sizes)

# %% wrong b_persist_unused, edit of right b_summary_per_piece: Persists, but goes on with the old plans, so everything is loaded again.
# fails: Each piece is loaded exactly once
def three_answers(pieces):
    dask.persist(*pieces)
    rows = delayed(sum)([piece.size for piece in pieces]).compute()
    total = delayed(sum)([piece.sum() for piece in pieces]).compute()
    worst = delayed(max)([piece.max() for piece in pieces]).compute()
    return rows, total / rows, worst

# %% wrong b_pieces_fetched: Fetches the pieces to the notebook; only small numbers may come.
# fails: No piece is sent to the notebook
# -     return merge([delayed(lambda p: (p.size, p.sum(), p.max()))(piece) for piece in pieces]).compute()
# +     values = np.concatenate(dask.compute(*pieces))
# +     return values.size, values.mean(), values.max()

# %% wrong b_still_lazy, edit of the solution: Returns plans, not the three numbers.
# fails: They are computed, not only planned
# -     rows, total, worst = dask.compute(rows, total, worst)

# %% wrong last_piece_lost, edit of the solution
# fails: The number of values is right
# -     """Return the number of values, their mean, and the largest, of all pieces together."""
# +     pieces = pieces[:-1]
