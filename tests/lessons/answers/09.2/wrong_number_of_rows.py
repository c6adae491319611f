"""Wrong: divides by the number of rows, not of columns; right for square grids only."""


def grid_sums(comm, columns, value):
    rows = comm.size // columns
    row = comm.Split(color=comm.rank // rows)
    column = comm.Split(color=comm.rank % rows)
    return row.allreduce(value), column.allreduce(value)
