def tree_reduce(comm, value, merge):
    return comm.reduce(value, op=merge, root=0)
