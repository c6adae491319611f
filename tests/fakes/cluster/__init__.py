"""A big cluster for tests, screenshots and benchmarks: everything is real but the workers.

Run it from the repository root; it stays in the foreground, says its id when it runs, and ends with Ctrl-C, SIGTERM
or a stop from any client::

    python -m tests.fakes.cluster --workers 1000 --gpus
    python -m tests.fakes.cluster --workers 8 --gpus --rmm mixed --lost 1
    python -m tests.fakes.cluster --workers 7 --mig --name slices
    python -m tests.fakes.cluster --workers 4 --tasks-per-second 0

It takes part in the registry (``$GPUCLUSTER_DIR``) as any supervisor does: it is the real controller, state store,
interface and sampler, around a real ``distributed`` scheduler with its dashboard behind TLS. The workers exist in its
head only: they register with the scheduler, send real heartbeats whose figures move as those of a working cluster
would, and "compute" what they are told by waiting. A real client keeps submitting graphs, so tasks, progress and the
task stream are the scheduler's own. Scaling, adapting, restarting, retiring and stopping work.

Tests use ``simulated_cluster`` of ``tests/fakes/cluster/process.py``.
"""
