"""Answers to exercise 01.4."""

# %% right b_recursive: Recursive bisection; len() of the table and one compute.
def largest_scale(survives, highest):
    def between(low, high):
        if low == high:
            return low
        middle = (low + high + 1) // 2
        return between(middle, high) if survives(middle) else between(low, middle - 1)

    return between(0, highest)


def dask_answer(table):
    return len(table), table["dep_delay"].mean().compute()

# %% right bisect
from bisect import bisect_left


def largest_scale(survives, highest):
    return bisect_left(range(1, highest + 1), True, key=lambda copies: not survives(copies))


def dask_answer(table):
    return table.shape[0].compute(), table["dep_delay"].mean().compute()

# %% right recursion
import dask


def largest_scale(survives, highest, lowest=0):
    if lowest == highest:
        return lowest
    middle = (lowest + highest + 1) // 2
    return largest_scale(survives, highest, middle) if survives(middle) else largest_scale(survives, middle - 1, lowest)


def dask_answer(table):
    return dask.compute(table.shape[0], table.dep_delay.mean())

# %% wrong b_asks_twice: Asks the same question twice in each step, although it takes seconds.
# fails: It halves what is left with each question
import dask


def dask_answer(table):
    rows, mean = dask.compute(table.shape[0], table.dep_delay.mean())
    return rows, mean


def largest_scale(survives, highest):
    low, high = 0, highest
    while low < high:
        middle = (low + high + 1) // 2
        if survives(middle):
            low = middle
        if not survives(middle):
            high = middle - 1
    return low

# %% wrong b_at_least_one: Returns 1 also if not even one copy survives; the text says 0 if there is none.
# fails: It finds the largest number that survives, or 0
# edit of wrong b_asks_twice
# ~ high = 0, highest => high = 1, highest
# -         if not survives(middle):
# +         else:

# %% wrong b_first_partition: Looks at the first partition only, not at the whole table.
# fails: The number of rows is that of all copies
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

# %% wrong b_mean_of_means: The mean of the means of the partitions is not the mean of the column if the partitions differ.
# fails: The mean is that of one copy
# edit of wrong b_first_partition
# - def largest_scale(survives, highest):
# + import dask
# +
# +
# + def largest_scale(survives, highest):
# -     first = table.get_partition(0)
# -     return len(first) * table.npartitions, first.dep_delay.mean().compute()
# +     means = table.dep_delay.map_partitions(lambda part: part.mean(), meta=("m", "f8"))
# +     rows, values = dask.compute(table.shape[0], means)
# +     return rows, values.mean()

# %% wrong b_missing_not_counted: Counts only the rows with a delay; cancelled flights are rows as well.
# fails: The number of rows is that of all copies
# edit of wrong b_mean_of_means
# -     means = table.dep_delay.map_partitions(lambda part: part.mean(), meta=("m", "f8"))
# -     rows, values = dask.compute(table.shape[0], means)
# -     return rows, values.mean()
# +     return dask.compute(table.dep_delay.count(), table.dep_delay.mean())

# %% wrong b_table_fetched: Fetches the whole table to the notebook; the text says never.
# fails: The table stays on the workers
# edit of wrong b_missing_not_counted
# -     return dask.compute(table.dep_delay.count(), table.dep_delay.mean())
# +     here = table.compute()
# +     return len(here), here["dep_delay"].mean()

# %% wrong lazy
# fails: Both are computed, not only planned
# edit of the solution
# -     """Return the number of rows of a lazy Dask table, and the mean of its column dep_delay."""
# -     return len(table), table.dep_delay.mean().compute()
# +     return table.shape[0], table.dep_delay.mean()
