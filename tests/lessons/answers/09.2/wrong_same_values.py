"""Wrong: multiplies the own value with the size, right only when all ranks have the same value."""


def grid_sums(comm, columns, value):
    row = comm.Split(color=comm.rank // columns)
    column = comm.Split(color=comm.rank % columns)
    return value * row.size, value * column.size
