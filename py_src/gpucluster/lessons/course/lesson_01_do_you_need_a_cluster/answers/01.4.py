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
# fails: It halves the remaining range with each call
# -         return between(middle, high) if survives(middle) else between(low, middle - 1)
# +         return between(middle if survives(middle) else low, high if survives(middle) else middle - 1)

# %% wrong b_at_least_one: Returns 1 also if not even one copy survives; the text says 0 if there is none.
# fails: It finds the largest number that survives, or 0
# ~ between(0, highest) => between(1, highest)

# %% wrong b_first_partition: Looks at the first partition only, not at the whole table.
# fails: The number of rows counts all copies
# ~ len(table), table["dep_delay"] => len(table.partitions[0]) * table.npartitions, table["dep_delay"]

# %% wrong b_mean_of_means: The mean of the means of the partitions is not the mean of the column if the partitions differ.
# fails: The mean equals that of one copy
# ~ mean().compute() => map_partitions(lambda part: part.mean(), meta=("m", "f8")).compute().mean()

# %% wrong b_missing_not_counted: Counts only the rows with a delay; cancelled flights are rows as well.
# fails: The number of rows counts all copies
# ~ len(table), table => table["dep_delay"].count().compute(), table

# %% wrong b_table_fetched: Fetches the whole table to the notebook; the text says never.
# fails: The table stays on the workers
# -     return len(table), table["dep_delay"].mean().compute()
# +     here = table.compute()
# +     return len(here), here["dep_delay"].mean()

# %% wrong lazy, edit of the solution
# fails: Both are computed, not only planned
def dask_answer(table):
    return table.shape[0], table.dep_delay.mean()
