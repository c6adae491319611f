def grid_sums(comm, columns, value):
    rows = comm.size // columns
    row = comm.Split(comm.rank // rows)
    column = comm.Split(comm.rank % rows)
    return row.allreduce(value), column.allreduce(value)
