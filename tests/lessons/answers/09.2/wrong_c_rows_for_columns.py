"""Wrong: takes the number of columns for the number of rows."""


def grid_sums(comm, columns, value):
    row = comm.Split(color=comm.rank % columns, key=comm.rank)
    column = comm.Split(color=comm.rank // columns, key=comm.rank)
    return row.allreduce(value), column.allreduce(value)
