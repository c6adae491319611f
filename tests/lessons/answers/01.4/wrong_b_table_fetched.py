"""Wrong: fetches the whole table to the notebook; the text says never."""


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
    here = table.compute()
    return len(here), here["dep_delay"].mean()
