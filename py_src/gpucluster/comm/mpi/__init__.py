"""Dask's messages over MPI between the ranks of one program, and over TLS (or TCP) with all others.

A worker that is a rank listens twice: for ranks of the same *world*, and at a port for the scheduler, clients and
others. Its address has both: ``mpi://10.0.0.7:40123/3.5f0c2a9e1b7d4c36`` is rank 3 of the world of that name, at that
port. distributed loads ``backend`` by its entry point group ``distributed.comm.backends``.

``world`` is what the ranks share, including the bells that wake them, ``engine`` the only module that calls MPI for
Dask, ``wire`` the format of messages, ``backend`` the interface to distributed.
"""
