# %% right allgather
def grid_sums(comm, columns, value):
    row_number, column_number = divmod(comm.rank, columns)
    row = comm.Split(row_number, key=column_number)
    column = comm.Split(1000 + column_number, key=row_number)
    return sum(row.allgather(value)), sum(column.allgather(value))

# %% right divmod: Divmod, and keys given explicitly.
def grid_sums(comm, columns, value):
    r, c = divmod(comm.rank, columns)
    return comm.Split(r, c).allreduce(value), comm.Split(c, r).allreduce(value)

# %% wrong all_ranks, edit of the solution
# fails: row_sum is the sum over the ranks of this row
# ~ row.allreduce(value), column.allreduce(value) => comm.allreduce(value), comm.allreduce(value)

# %% wrong c_numbers_of_ranks, edit of the solution: Adds up the numbers of the ranks, not the values.
# fails: row_sum is the sum over the ranks of this row
# ~ row.allreduce(value), column.allreduce(value) => row.allreduce(comm.rank), column.allreduce(comm.rank)

# %% wrong nested_split, edit of the solution: The column is split from the row communicator, so each column has one rank only.
# fails: column_sum is the sum over the ranks of this column
# ~ column = comm => column = row

# %% wrong one_split, edit of the solution
# fails: column_sum is the sum over the ranks of this column
# ~ column.allreduce(value) => comm.allreduce(value) - row.allreduce(value)

# %% wrong some_do_not_call
# fails: It runs on several ranks without an error
def grid_sums(comm, columns, value):
    row = comm.Split(comm.rank // columns)
    if comm.rank >= columns:
        return row.allreduce(value), value
    column = comm.Split(comm.rank % columns)
    return row.allreduce(value), column.allreduce(value)

# %% wrong without_split
# fails: Split divides the ranks once into rows and once into columns
def grid_sums(comm, columns, value):
    values = comm.allgather(value)
    row, column = divmod(comm.rank, columns)
    return sum(values[row * columns : (row + 1) * columns]), sum(values[column::columns])
