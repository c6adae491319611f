"""Dask's messages over unix domain sockets in a private folder: no port is open, and nothing is encrypted in vain.

A *comm folder* (mode 0700) belongs to one cluster. Scheduler, nannies and workers each listen on a socket in it.
Processes that connect must run as the same user and know the secret in the folder, which a sandboxed process (a
submission that is graded) cannot read. Addresses are ``gpucluster+unix://127.0.0.1`` and the path of a socket.
distributed loads ``backend`` by its entry point group ``distributed.comm.backends``. The scheme has its own name,
because one that comes with distributed would take precedence over an entry point.
"""
