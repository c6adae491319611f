def largest_scale(survives, highest):
    copies = 0
    while copies < highest and survives(copies + 1):
        copies += 1
    return copies


def dask_answer(table):
    return len(table), table.dep_delay.mean().compute()
