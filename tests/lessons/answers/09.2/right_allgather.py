def grid_sums(comm, columns, value):
    row_number, column_number = divmod(comm.rank, columns)
    row = comm.Split(row_number, key=column_number)
    column = comm.Split(1000 + column_number, key=row_number)
    return sum(row.allgather(value)), sum(column.allgather(value))
