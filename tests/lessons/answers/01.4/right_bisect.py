from bisect import bisect_left


def largest_scale(survives, highest):
    return bisect_left(range(1, highest + 1), True, key=lambda copies: not survives(copies))


def dask_answer(table):
    return table.shape[0].compute(), table["dep_delay"].mean().compute()
