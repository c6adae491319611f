"""Wrong: three columns hard-coded, as in the table of the text."""


def grid_sums(comm, columns, value):
    row = comm.Split(color=comm.rank // 3)
    column = comm.Split(color=comm.rank % 3)
    return row.allreduce(value), column.allreduce(value)
