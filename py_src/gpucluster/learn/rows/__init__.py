"""The rows of a table, wherever they are: in this process, on MPI ranks, or on the workers of a cluster.

An algorithm is a function of ``Rows``. There are four ways to run one, and each is needed:

* in this process, or on MPI ranks: blocks in memory and a communicator (``shard``);
* one Dask graph per pass (``stream``): tables larger than memory, and algorithms of one or two passes;
* ranks as tasks (``ranks``), which exchange messages while they iterate: seen on the dashboard, and run again when a
  worker is lost;
* ranks beside the tasks (``in_place``), for what takes less than half a second on a table that workers keep: one
  message to each worker, and connections that stay. Where a block or a worker is missing, tasks do it. On two workers
  with two threads and 8 MB, medians of paired runs: a PCA fit takes 11 ms in place and 26 ms as a graph, k-means
  100 ms in place and 111 ms as tasks.

A rank's task gives its slot back at once, so two computations never wait for each other's slots. Ranks talk over a
connection of Dask's own kind (``learn/communicators/mailbox``); a plain socket is read by the rank's own thread
(``sockets``), as two event loops take five times as long. When a worker is lost, the client tells the others, places
everything again and all start over.
"""
