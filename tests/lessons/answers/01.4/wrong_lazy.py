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
    return table.shape[0], table.dep_delay.mean()
