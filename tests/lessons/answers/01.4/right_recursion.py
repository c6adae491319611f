import dask


def largest_scale(survives, highest, lowest=0):
    if lowest == highest:
        return lowest
    middle = (lowest + highest + 1) // 2
    return largest_scale(survives, highest, middle) if survives(middle) else largest_scale(survives, middle - 1, lowest)


def dask_answer(table):
    return dask.compute(table.shape[0], table.dep_delay.mean())
