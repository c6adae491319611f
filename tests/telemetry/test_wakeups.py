"""An idle supervisor rests but still watches its workers' memory."""

import asyncio
import json
import subprocess
import sys

import pytest

pytestmark = pytest.mark.full

PROGRAM = """
import asyncio, json
import dask
from gpucluster.supervisor.process.warmup import reduce_wakeups

async def main():
    reduce_wakeups()
    reduce_wakeups()
    from distributed import LocalCluster
    import distributed.scheduler
    options = dict(n_workers=1, threads_per_worker=1, asynchronous=True, dashboard_address="127.0.0.1:0")
    async with LocalCluster(memory_limit=%d, **options) as cluster:
        nanny = cluster.workers[0]
        pid = nanny.pid
        %s
        print(json.dumps({
            "nanny": {name: callback.callback_time for name, callback in nanny.periodic_callbacks.items()},
            "scheduler": {n: callback.callback_time for n, callback in cluster.scheduler.periodic_callbacks.items()},
            "heartbeats": [distributed.scheduler.heartbeat_interval(n) for n in (1, 20, 1000)],
            "profile": dask.config.get("distributed.worker.profile.interval"),
            "same": pid == nanny.pid,
        }))

if __name__ == "__main__":
    asyncio.run(main())
"""


async def run(memory_limit, work):
    pipe = subprocess.PIPE
    command = sys.executable, "-c", PROGRAM % (memory_limit, work)
    process = await asyncio.create_subprocess_exec(*command, stdout=pipe, stderr=pipe)
    printed, errors = await asyncio.wait_for(process.communicate(), 120)
    assert process.returncode == 0, errors.decode()
    return json.loads(printed.splitlines()[-1]), errors.decode()


async def test_unused_callbacks_are_removed():
    found, _ = await run(4 * 2**30, "await asyncio.sleep(1)")
    assert set(found["nanny"]).isdisjoint({"tick", "ticks", "monitor", "shift_counters"})
    assert found["nanny"]["memory_monitor"] == 500, "the worker is not almost empty"
    assert found["scheduler"]["tick"] == 1000
    assert found["scheduler"]["monitor"] == 2000
    assert [found["scheduler"][name] for name in ("ticks", "idle-timeout", "no-workers-timeout")] == [5000] * 3
    assert found["heartbeats"] == [1.0, 1.0, 6.0]
    assert found["profile"] == "50ms"
    assert found["same"]


async def test_worker_exceeding_memory_is_ended():
    # A fresh worker process is larger than this.
    wait = "\n        ".join(["for _ in range(600):", "    if nanny.pid != pid: break", "    await asyncio.sleep(0.1)"])
    found, errors = await run(60 * 2**20, wait)
    assert not found["same"]
    assert "exceeded 95% memory budget" in errors
