"""Failed tasks and largest results of a cluster, and the release of a notebook's results."""

import asyncio
import re
from types import SimpleNamespace

import numpy as np
import pytest
from dask import array
from distributed import futures_of, wait
from gpucluster.backends.scheduler import failures, results
from gpucluster.client.cluster import Cluster
from gpucluster.client.notebook_client import ResultsAreReleased
from gpucluster.dask_internals.scheduler_state import name_for_kernel
from gpucluster.learn.errors import ClusterStopped
from gpucluster.learn.rows.waiting import computed
from gpucluster.protocol.errors import InvalidState
from gpucluster.protocol.messages import MessageCode
from gpucluster.protocol.models import ResultsReleased
from IPython.core.interactiveshell import InteractiveShell

KERNEL = "01234567-89ab-cdef-0123-456789abcdef"


def refuse(number: int) -> int:
    raise ValueError(f"no {number}\n" + "long " * 1000)


def test_failed_tasks_and_large_results(site, wait_until, capsys):
    cluster = Cluster(site.running(name="held", n_workers=2), site.control.asynchronous)
    with cluster.get_client(name=name_for_kernel(KERNEL)) as client:
        failed = client.map(refuse, range(3), pure=False)
        wait(failed)
        wait_until(lambda: site.get("held").said(MessageCode.TASKS_FAILED))
        wait_until(lambda: site.get("held").said(MessageCode.TASKS_FAILED)[0].text.startswith("3 tasks"))
        [message] = site.get("held").said(MessageCode.TASKS_FAILED)
        assert (message.level, message.subject) == ("error", "refuse")
        assert re.fullmatch(r"3 tasks failed in 'refuse': ValueError: no [012]", message.text)
        [failure] = site.control.failures("held").failures
        assert (failure.task, failure.n_tasks, failure.worker in {"0", "1"}) == ("refuse", 3, True)
        assert "raise ValueError" in failure.traceback
        assert len(failure.error) <= failures.LONGEST_ERROR + 5
        del failed
        wait_until(lambda: not site.get("held").said(MessageCode.TASKS_FAILED))
        assert site.control.failures("held").failures == []

        big = client.persist(array.random.random((4, 1_000_000), chunks=(1, 1_000_000)))
        small = client.submit(np.ones, 1000, pure=False)
        wait(big)
        wait(small)
        found = site.control.results("held")
        largest, other = found.results
        assert largest.name.startswith("random") and largest.group.startswith(largest.name)
        assert (largest.n_results, largest.bytes, largest.type) == (4, 32_000_000, "numpy.ndarray")
        assert (largest.kernels, largest.n_clients, largest.on_gpu) == ([KERNEL], 1, False)
        assert (other.name, other.group) == ("ones", "ones")
        assert found.total_bytes == largest.bytes + other.bytes
        released = ResultsReleased(name=largest.name, group=largest.group, kernel="another")
        with pytest.raises(InvalidState, match="no longer holds results"):
            site.control.release_results("held", released)
        site.control.release_results("held", released.model_copy(update={"kernel": KERNEL}))
        wait_until(lambda: [one.group for one in site.control.results("held").results] == ["ones"])
        wait_until(lambda: all(future.cancelled() for future in futures_of(big)))
        reason = rf"^You released the results of '{largest.name}' at \d\d:\d\d; compute them again\.$"
        for ask in (
            futures_of(big)[0].result,
            big.sum().compute,
            client.submit(np.sum, futures_of(big)[0]).result,
            client.compute(big.sum()).result,
            lambda: wait(big),
            lambda: wait(big.sum().persist()),
            lambda: computed(big.sum()),
        ):
            with pytest.raises((ResultsAreReleased, ClusterStopped), match=reason):
                ask()
        shell = InteractiveShell()
        shell.push({"big": big})
        shell.run_cell("big.sum().compute()")
        shown, line = capsys.readouterr().out.splitlines()
        assert shown.startswith("ResultsAreReleased: You released") and line == "  line 1: big.sum().compute()"
    assert site.control.activity("held").entries[-1].message == f"Release 4 results of '{largest.name}'"


def test_results_lost_in_a_restart_are_named(site, wait_until, capsys):
    cluster = Cluster(site.running(name="again", n_workers=1), site.control.asynchronous)
    shell = InteractiveShell.instance()
    try:
        with cluster.get_client() as client:
            shell.push({"big": client.persist(array.ones(4, chunks=2)), "one": client.submit(sum, [1, 2])})
            shell.push({"twice": 2 * shell.user_ns["big"]})
            wait([shell.user_ns["big"], shell.user_ns["one"]])
            site.control.restart("again")
            wait_until(lambda: shell.user_ns["one"].cancelled())
            for name, code in (
                ("big", "big.sum().compute()"),
                ("big", "twice.compute()"),
                ("big", "twice.persist().compute()"),
                ("one", "one.result()"),
            ):
                capsys.readouterr()
                shell.run_cell(code)
                shown, line = capsys.readouterr().out.splitlines()
                assert re.fullmatch(
                    rf"ResultsAreLost: The results of '{name}' were lost when the cluster 'again' was restarted at "
                    r"\d\d:\d\d\. Run the cell that computes them again\.",
                    shown,
                )
                assert line == f"  line 1: {code}"
            shell.push({"big": client.persist(array.ones(4, chunks=2))})
            assert shell.user_ns["big"].sum().compute() == 4
    finally:
        InteractiveShell.clear_instance()


def test_results_are_read_in_slices(monkeypatch):
    """The scheduler's own work continues, and it is queried again only after a while."""
    monkeypatch.setattr(results, "SLICE", 10)
    monkeypatch.setattr(
        results, "results_of", lambda worker: [(f"kind-{i % 20}",) * 2 + (2**i, "", ()) for i in range(40)]
    )
    worker = SimpleNamespace(name="0", metrics={})
    largest = results.LargestResults(SimpleNamespace(workers={"a": worker}))
    turns = 0

    async def look():
        nonlocal turns
        reading = asyncio.create_task(largest.read())
        while not reading.done():
            turns += 1
            await asyncio.sleep(0)
        return await reading

    found = asyncio.run(look())
    assert turns > 4
    assert [one["name"] for one in found["results"]] == [f"kind-{i}" for i in range(19, 19 - results.MOST, -1)]
    assert found["total_bytes"] == 2**40 - 1
    monkeypatch.setattr(results, "results_of", lambda worker: [])
    assert asyncio.run(largest.read()) == found
    largest.forget()
    assert asyncio.run(largest.read()) == {"total_bytes": 0, "results": []}
