"""Workers as the ranks of one MPI program. The ranks, too, import this package: it imports nothing."""
