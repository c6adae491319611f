def grid_sums(comm, columns, value):
    row = comm.Split(comm.rank % columns)
    column = comm.Split(comm.rank // columns)
    return row.allreduce(value), column.allreduce(value)
