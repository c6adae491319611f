import numpy as np


def late_on_ranks(comm, own):
    mine = np.array([np.sum(np.nan_to_num(own) > 0)], dtype=np.int64)
    total = np.zeros_like(mine)
    comm.Allreduce(mine, total)
    return int(total[0])


def late_with_dask(y):
    counts = y.map_blocks(lambda block: np.array([(block > 0).sum()]), chunks=((1,) * y.numblocks[0],), dtype=int)
    return int(counts.sum().compute())
