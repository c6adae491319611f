"""Right: reduce to the root of each communicator, then bcast; columns are split first."""


def grid_sums(comm, columns, value):
    def total(color):
        part = comm.Split(color=color)
        return part.bcast(part.reduce(value, root=0), root=0)

    column_sum = total(comm.rank % columns)
    row_sum = total((comm.rank - comm.rank % columns) // columns)
    return row_sum, column_sum
