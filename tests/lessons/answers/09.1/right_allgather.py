"""Right: len of the boolean selection, allgather of small counts; map_blocks to one count per chunk."""


def late_on_ranks(comm, own):
    return sum(comm.allgather(len(own[own > 0])))


def late_with_dask(y):
    counts = y.map_blocks(lambda block: (block > 0).sum(keepdims=True), dtype=int, chunks=((1,) * y.numblocks[0],))
    total = 0
    for count in counts.compute().tolist():
        total += count
    return total
