"""The rows of a table, wherever they are: in this process, on MPI ranks, or on the workers of a cluster."""
