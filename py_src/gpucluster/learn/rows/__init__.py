"""The rows of a table in this process, on MPI ranks, or on the workers of a cluster.

An algorithm is a function of ``Rows``. There are four ways to run one, and each is needed:

* in this process, or on MPI ranks: blocks in memory and a communicator (``shard``);
* one Dask graph per pass (``running.Stream``): tables larger than memory, and algorithms of one or two passes;
* ranks as tasks (``ranks``), which exchange messages while they iterate: visible on the dashboard, and restarted when a
  worker is lost;
* ranks beside the tasks (``in_place``), for computations below half a second on a table that workers keep: one message
  to each worker, and connections that stay. Where a block or a worker is missing, tasks are used instead. On two
  workers with two threads and 8 MB, medians of paired runs: a PCA fit takes 11 ms in place and 26 ms as a graph,
  k-means 100 ms in place and 111 ms as tasks.

A rank's task gives its slot back at once, so two computations never wait for each other's slots. Ranks use Dask's
connections (``learn/communicators/mailbox``); the rank's thread reads plain sockets directly, because two
event loops take five times as long. When a worker is lost, the client notifies the others, places all blocks again and
restarts the computation.
"""
