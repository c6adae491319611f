"""Missing delays become 0, then their signs are counted; the message is an array that holds one number."""

import numpy as np


def late_on_ranks(comm, own):
    mine = np.array([np.count_nonzero(np.sign(np.nan_to_num(own)) == 1)])
    return int(comm.allreduce(mine)[0])


def late_with_dask(y):
    return (
        y.map_blocks(lambda block: np.array([np.count_nonzero(np.nan_to_num(block) > 0)]), chunks=(1,), dtype=int)
        .sum()
        .compute()
    )
