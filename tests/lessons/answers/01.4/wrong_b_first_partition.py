"""Wrong: looks at the first partition only, not at the whole table."""


def largest_scale(survives, highest):
    low, high = 0, highest
    while low < high:
        middle = (low + high + 1) // 2
        if survives(middle):
            low = middle
        else:
            high = middle - 1
    return low


def dask_answer(table):
    first = table.get_partition(0)
    return len(first) * table.npartitions, first.dep_delay.mean().compute()
