def grid_sums(comm, columns, value):
    values = comm.allgather(value)
    row, column = divmod(comm.rank, columns)
    return sum(values[row * columns : (row + 1) * columns]), sum(values[column::columns])
