# %% right allgather_generator
def late_on_ranks(comm, own):
    return sum(comm.allgather(sum(1 for delay in own.tolist() if delay > 0)))


def late_with_dask(y):
    return int(y[y > 0].map_blocks(lambda block: block * 0 + 1).sum().compute())

# %% right numpy_tricks: Count_nonzero with allreduce of a NumPy integer; a Dask where and sum.
# ~ y[y > 0].map_blocks(lambda block: block * 0 + 1) => da.where(y > 0, 1, 0)
# -     return sum(comm.allgather(sum(1 for delay in own.tolist() if delay > 0)))
# +     return comm.allreduce(np.int64(np.count_nonzero(np.greater(own, 0))))
import dask.array as da
import numpy as np

# %% right reduce_and_bcast, edit of right numpy_tricks
# ~ return int(da.where(y > 0, 1, 0).sum().compute()) => return da.sum(y > 0).compute()
# -     return comm.allreduce(np.int64(np.count_nonzero(np.greater(own, 0))))
# +     total = comm.reduce(np.count_nonzero(own > 0), root=0)
# +     return comm.bcast(total, root=0)

# %% wrong adds_up_the_delays, edit of right numpy_tricks
# fails: Counts the flights that arrived late, with ranks
# ~ np.count_nonzero(np.greater(own, 0)) => np.nansum(own[own > 0])

# %% wrong d_root_only: Rank 0 alone has the number of all; the others keep their own.
# fails: Counts the flights that arrived late, with ranks
# -     return sum(comm.allgather(sum(1 for delay in own.tolist() if delay > 0)))
# +     mine = int((own > 0).sum())
# +     parts = comm.allgather(mine)
# +     return sum(parts) if comm.rank == 0 else mine

# %% wrong delays_travel, edit of right numpy_tricks
# fails: Ranks send only counts, not delays
# ~ comm.allreduce(np.int64(np.count_nonzero(np.greater(own, 0)))) => int((np.concatenate(comm.allgather(own)) > 0).sum())

# %% wrong gathers_the_array, edit of right numpy_tricks
# fails: With Dask, the delays stay on the workers
# ~ da.where(y > 0, 1, 0).sum().compute => (y.compute() > 0).sum

# %% wrong lazy, edit of right numpy_tricks: The Dask function returns a lazy array and no number (compute forgotten).
# fails: late_with_dask returns a whole number, computed
# ~ int(da.where(y > 0, 1, 0).sum().compute()) => da.where(y > 0, 1, 0).sum()

# %% wrong only_at_the_root, edit of right numpy_tricks
# fails: late_on_ranks returns a whole number on every rank
# ~ comm.allreduce(np.int64(np.count_nonzero(np.greater(own, 0)))) => comm.reduce(int((own > 0).sum()), root=0)
