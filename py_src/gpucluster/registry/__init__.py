"""Where clusters are written down: one private directory per user, one folder per cluster.

The directory is ``/tmp/gpucluster-<uid>`` or ``$GPUCLUSTER_DIR``. It is not ``$XDG_RUNTIME_DIR``, because a Jupyter
server, a batch job and an SSH session of one user often disagree about that. In the folder of a cluster:

================== =====================================================================================================
``state.json``     The record: ``ClusterModel`` and the supervisor's identity. Replaced atomically before each next
                   step; written again within a second if another program damages it. The supervisor ends when it is
                   missing.
``lock``           Held (``flock``) from before the supervisor starts until it is gone, however it ends.
``socket``         The supervisor's interface. It checks the peer's user id and the secret on each request.
``secret``         Required in each request, 0600.
``comm/``          Unix sockets of scheduler, nannies, workers and dashboard, and their secret; ``comm/mpi``: messages
                   between the ranks of an MPI program.
``tls/``           With ``protocol="tls"``: certificate and key of this cluster, 0600.
``remembered.json`` What was started elsewhere, 0600, written before it is started; ``reaping`` is held by the process
                   that ends it after the supervisor died.
``links.json``     Links for viewers, with hashes of their tokens, 0600; ``links.lock`` is held while it changes.
``dashboard.json`` Address and secret path of the dashboard, 0600.
``reserve``        64 KiB that are freed for the record when the disk is full.
``activity``       Requests and their results as JSON lines; the last 1000, kept after the end.
``cells``          What cells computed, as JSON lines; the last 1000, kept after the end,
                   and copied to the history when the folder is deleted (``registry.history``).
``profile.json``   The last profiled cell, without its timeline.
``log``            What supervisor and workers print, without secrets; the first MiB and the last 7 are kept.
``mp/``            Files of Python's ``multiprocessing``.
``scratch/``       Dask's ``temporary-directory``, unless ``local_directory`` names another.
``wanted-by/``     For a standby: the processes that want it.
``killed``         Why a supervisor that hung was killed.
================== =====================================================================================================

Beside the folders, ``devices/`` holds a lock for each GPU that one of the user's clusters has chosen.
"""
