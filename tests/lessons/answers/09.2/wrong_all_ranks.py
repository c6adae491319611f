def grid_sums(comm, columns, value):
    comm.Split(comm.rank // columns)
    comm.Split(comm.rank % columns)
    return comm.allreduce(value), comm.allreduce(value)
