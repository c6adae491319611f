"""A cluster's own process stays small, whatever is computed on its workers.

It imports this file for the functions that run there: nothing heavy may be imported above.
"""

import sys
from pathlib import Path
from typing import Any

import dask.array as da
import gpucluster
import numpy as np
import psutil
import pytest
from gpucluster.supervisor.process.preloading import PRELOAD_LATER

pytestmark = [pytest.mark.processes, pytest.mark.full]


def _sent(dask_scheduler: Any) -> list[tuple[int, int]]:
    """Return how many messages went to each worker and client, and how many are kept."""
    streams = [*dask_scheduler.stream_comms.values(), *dask_scheduler.client_comms.values()]
    return [(stream.message_count, len(stream.recent_message_log)) for stream in streams]


def _imported(dask_scheduler: Any) -> set[str]:
    return {name.partition(".")[0] for name in sys.modules}


def test_supervisor_stays_small(site: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from gpucluster.learn import PCA, KMeans, StandardScaler

    monkeypatch.setenv(PRELOAD_LATER, "1")
    model = site.running(name="small", n_workers=1)
    with gpucluster.connect("small").get_client() as client:
        X = da.from_array(np.random.default_rng(0).normal(size=(400, 3)), chunks=(100, 3))
        for estimator in (KMeans(2, n_init=1, random_state=0), PCA(2), StandardScaler()):
            estimator.fit(X)
        sent = client.run_on_scheduler(_sent)
        assert sum(count for count, _ in sent) > 0
        assert [kept for _, kept in sent] == [0] * len(sent)
        # The scheduler unpickles the functions of tasks as well.
        imported = client.run_on_scheduler(_imported)
        assert "gpucluster" in imported
        assert not imported & {"sklearn", "pandas", "pyarrow", "scipy"}
    # One of its two copies was made before it imported anything, and keeps no pages that others change.
    helpers = {_helper(child): child for child in psutil.Process(model.pid).children()}
    assert _maps(helpers["forkserver"], "numpy")
    assert not _maps(helpers["resource_tracker"], "numpy")


def _helper(process: psutil.Process) -> str:
    """Return the module of multiprocessing that a process runs."""
    return " ".join(process.cmdline()).partition("multiprocessing.")[2].partition(" ")[0]


def _maps(process: psutil.Process, name: str) -> bool:
    return f"/{name}/" in Path(f"/proc/{process.pid}/maps").read_text()
