def grid_sums(comm, columns, value):
    row = comm.Split(comm.rank // columns)
    total = row.allreduce(value)
    return total, comm.allreduce(value) - total
