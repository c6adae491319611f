def grid_sums(comm, columns, value):
    found = []
    for color in (comm.Get_rank() // columns, comm.Get_rank() % columns):
        group = comm.Split(color=color, key=0)
        found.append(group.bcast(group.reduce(value, root=0), root=0))
        group.Free()
    return found
