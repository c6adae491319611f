"""Where clusters are written down: one private directory per user, one folder per cluster.

The directory is ``/tmp/gpucluster-<uid>`` or ``$GPUCLUSTER_DIR``. It is not ``$XDG_RUNTIME_DIR``, because a Jupyter
server, a batch job and an SSH session of one user often disagree about that. In the folder of a cluster:

================== =====================================================================================================
``state.json``     The record: ``ClusterModel`` and the supervisor's identity. Replaced atomically before each next
                   step; written again within a second if another program damages it. The supervisor ends when it is
                   missing.
``process.json``   The ``ProcessIdentity`` to kill when the supervisor hangs before its first record.
``lock``           Held (``flock``) from before the supervisor starts until it is gone, however it ends.
``socket``         The supervisor's interface. It checks the peer's user id and the secret on each request.
``secret``         Required in each request, 0600.
``leased``         For a lease: held by its holder for as long as it wants the lease.
``comm/``          Unix sockets of scheduler, nannies, workers and dashboard, and their secret; ``comm/mpi``: messages
                   between the ranks of an MPI program.
``tls/``           With ``protocol="tls"``: ``ca.pem``, ``cert.pem`` and ``key.pem`` of this cluster, 0600.
``submitted``      What was submitted to start the workers, such as a batch script.
``remembered.json`` What was started elsewhere, 0600, written before it is started; ``reaping`` is held by the process
                   that ends it after the supervisor died, and lists the attempts.
``links.json``     Links for viewers, with hashes of their tokens, 0600; ``links.lock`` is held while it changes.
``dashboard.json`` A ``DashboardAddress``: address and secret path of the dashboard, 0600.
``reserve``        64 KiB that are freed for the record when the disk is full.
``activity``       Requests and their results as JSON lines; the last 1000, kept after the end.
``cells``          What cells computed, as JSON lines; the last 1000, kept after the end,
                   and copied to the history when the folder is deleted (``registry.history``).
``profile.json``   The last profiled cell, without its timeline.
``log``            What supervisor and workers print, without secrets; the first MiB and the last 7 are kept.
``mp/``            Files of Python's ``multiprocessing``.
``scratch/``       Dask's ``temporary-directory``, unless ``local_directory`` names another.
``wanted-by/``     For a standby: a ``ProcessIdentity`` of each process that wants it.
``killed``         Why a supervisor that hung was killed, written by the process that did so.
================== =====================================================================================================

Beside the folders, ``devices/`` holds a lock for each GPU that one of the user's clusters has chosen.
"""
