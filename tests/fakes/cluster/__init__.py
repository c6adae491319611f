"""A large cluster for tests, screenshots and benchmarks, in which everything is real except the workers.

Run it from the repository root; it stays in the foreground, prints its id when it runs, and ends with Ctrl-C, SIGTERM
or a stop from any client::

    python -m tests.fakes.cluster --workers 1000 --gpus
    python -m tests.fakes.cluster --workers 8 --gpus --rmm mixed --lost 1
    python -m tests.fakes.cluster --workers 7 --mig --name slices
    python -m tests.fakes.cluster --workers 4 --tasks-per-second 0

It uses the registry (``$GPUCLUSTER_DIR``) as any supervisor does: it is the real controller, state store, interface and
sampler, around a real ``distributed`` scheduler with its dashboard behind TLS. The workers are simulated: they register
with the scheduler, send real heartbeats with figures like those of a working cluster, and "compute" by waiting. A real
client submits graphs all the time, so tasks, progress and the task stream are the scheduler's own. Scaling, adapting,
restarting, retiring and stopping work.

Tests use ``simulated_cluster`` of ``tests/fakes/cluster/process.py``.
"""
