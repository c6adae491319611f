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
    return len(table), table.dep_delay.map_partitions(lambda part: part.mean()).compute().iloc[0]
