# %% right middle: The middle of the band, and a margin when cutting.
import math


def npartitions_for(table_bytes, device_bytes, shuffles):
    least, most = (1 / 32, 1 / 16) if shuffles else (1 / 16, 1 / 8)
    if table_bytes <= most * device_bytes:
        return 1
    return math.ceil(table_bytes / (most * device_bytes))


def cut(table, most_bytes):
    return table.repartition(partition_size=int(most_bytes * 0.9))

# %% right b_floor_halves: The most partitions of the band; cut halves the number of bytes until no partition is too large.
def npartitions_for(table_bytes, device_bytes, shuffles):
    smallest = device_bytes / (32 if shuffles else 16)
    return max(int(table_bytes // smallest), 1)


def cut(table, most_bytes):
    goal = most_bytes
    while True:
        smaller = table.repartition(partition_size=int(goal))
        sizes = smaller.map_partitions(lambda part: part.memory_usage(deep=True, index=True).sum()).compute()
        if max(sizes) <= most_bytes:
            return smaller
        goal = goal * 0.8

# %% right division: Whole numbers only, and rows per partition counted beforehand.
import dask.dataframe as dd


def npartitions_for(table_bytes, device_bytes, shuffles):
    pieces = 16 if shuffles else 8
    return max(1, -(-table_bytes * pieces // device_bytes))


def piece(block, start, stop):
    return block.iloc[start:stop]


def cut(table, most_bytes):
    parts = []
    for number in range(table.npartitions):
        part = table.partitions[number]
        size = part.memory_usage(deep=True, index=False).sum().compute()
        rows, pieces = len(part), -(-int(size) // most_bytes)
        step = max(1, rows // max(1, pieces + 1))
        parts += [part.map_partitions(piece, at, at + step) for at in range(0, rows, step)]
    return dd.concat(parts)

# %% right small_parts: Many small parts, by number of rows.
def npartitions_for(table_bytes, device_bytes, shuffles):
    number = 1
    while table_bytes / number > device_bytes / (16 if shuffles else 8):
        number += 1
    return number


def cut(table, most_bytes):
    return table.repartition(partition_size=most_bytes // 5)

# %% wrong b_bands_swapped: The two bands are swapped; "1/32 to 1/16 … where rows are shuffled".
# fails: A partition takes, without shuffles: 1/16 to 1/8 of the device's memory
# ~ (1 / 32, 1 / 16) if shuffles else (1 / 16, 1 / 8) => (1 / 16, 1 / 8) if shuffles else (1 / 32, 1 / 16)

# %% wrong b_computed: Fetches the table and cuts it in the notebook, a list of tables and no "lazy table".
# fails: cut returns a lazy Dask table
# -     return table.repartition(partition_size=int(most_bytes * 0.9))
# +     whole = table.compute()
# +     rows = max(1, len(whole) * most_bytes // (2 * int(whole.memory_usage(deep=True).sum())))
# +     return [whole.iloc[start : start + rows] for start in range(0, len(whole), rows)]

# %% wrong b_mean_size, edit of right middle: Cut looks at the mean size only; long rows make a partition "above `most_bytes`".
# fails: No partition is larger than most_bytes
def cut(table, most_bytes):
    total = table.memory_usage(deep=True).sum().compute()
    return table.repartition(npartitions=max(1, math.ceil(total / most_bytes)))

# %% wrong b_not_whole: Returns a broken number (12.5) of partitions; asked is "a number of partitions".
# fails: npartitions_for returns a whole number, 1 or more
# ~ math.ceil(table_bytes / (most * device_bytes)) => table_bytes / (most * device_bytes)

# %% wrong b_shuffles_ignored: The option `shuffles` is ignored, always 1/16.
# fails: A partition takes, without shuffles: 1/16 to 1/8 of the device's memory
# ~ (1 / 32, 1 / 16) if shuffles else (1 / 16, 1 / 8) => (1 / 32, 1 / 16)

# %% wrong b_very_small: Cut asks for a hundredth of the size, to be safe; "at most ten times as many partitions as that needs".
# fails: There are at most ten times as many partitions as needed
# ~ int(most_bytes * 0.9) => max(most_bytes // 100, 1)

# %% wrong c_always_48: Always 48 partitions, whatever the limit is.
# fails: There are at most ten times as many partitions as needed
# ~ partition_size=int(most_bytes * 0.9) => npartitions=48

# %% wrong c_other_order, edit of wrong c_always_48: All rows, but in the order of their values.
# fails: cut keeps all rows, in their order
# ~ table.repartition(npartitions=48) => table.sort_values("value").repartition(partition_size=most_bytes)

# %% wrong rows_with_gaps_lost: Drops the rows with a gap.
# fails: cut keeps all rows, in their order
# ~ repartition(partition_size=int(most_bytes * 0.9)) => repartition(partition_size=most_bytes).dropna()

# %% wrong too_small: Always a thousand partitions.
# fails: A table below the range is one partition
# ~ return 1 => return 1000
