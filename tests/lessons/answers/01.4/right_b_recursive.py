"""Recursive bisection; len() of the table and one compute."""


def largest_scale(survives, highest):
    def between(low, high):
        if low == high:
            return low
        middle = (low + high + 1) // 2
        return between(middle, high) if survives(middle) else between(low, middle - 1)

    return between(0, highest)


def dask_answer(table):
    return len(table), table["dep_delay"].mean().compute()
