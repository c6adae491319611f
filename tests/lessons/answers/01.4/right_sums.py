def largest_scale(survives, highest):
    good, bad = 0, highest + 1
    while bad - good > 1:
        middle = (good + bad) // 2
        if survives(middle):
            good = middle
        else:
            bad = middle
    return good


def dask_answer(table):
    column = table.dep_delay
    rows = table.map_partitions(len).sum().compute()
    return rows, column.sum().compute() / column.count().compute()
