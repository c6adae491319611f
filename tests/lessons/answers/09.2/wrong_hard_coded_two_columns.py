def grid_sums(comm, columns, value):
    row = comm.Split(comm.rank // 2)
    column = comm.Split(comm.rank % 2)
    return row.allreduce(value), column.allreduce(value)
