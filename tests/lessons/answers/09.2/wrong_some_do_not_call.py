def grid_sums(comm, columns, value):
    row = comm.Split(comm.rank // columns)
    if comm.rank >= columns:
        return row.allreduce(value), value
    column = comm.Split(comm.rank % columns)
    return row.allreduce(value), column.allreduce(value)
