"""Dask's messages over MPI between the ranks of one program, and over TLS (or TCP) with everybody else.

A worker that is a rank listens twice: for ranks of the same *world*, and at a port for the scheduler, clients and
whoever else is no rank. Its address tells both: ``mpi://10.0.0.7:40123/3.5f0c2a9e1b7d4c36`` is rank 3 of the world of
that name, at that port. distributed loads ``backend`` by its entry point group ``distributed.comm.backends``.

``world`` is what the ranks have in common, and what wakes them, ``engine`` the one place of a process that calls MPI,
``wire`` what a message looks like, ``connection`` and ``backend`` what distributed sees.
"""
