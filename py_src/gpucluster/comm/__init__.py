"""Dask's messages over unix domain sockets in a private folder: no port is open, and nothing is encrypted in vain.

A *comm folder* (mode 0700) belongs to one cluster. Scheduler, nannies and workers each listen on a socket in it.
Whoever connects must run as the same user, and must know the secret that lies in the folder, which a process that was
locked in (a submission that is graded) cannot read. Addresses are ``gpucluster+unix://127.0.0.1`` and the path of a
socket. distributed loads ``backend`` by its entry point group ``distributed.comm.backends``. The scheme is our own,
because one that comes with distributed would win over an entry point of the same name.
"""
