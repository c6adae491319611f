"""What tests of several kinds see of a cluster."""

from pathlib import Path
from typing import Any, cast

import gpucluster
import numpy as np
import psutil
import pytest
from gpucluster.backends.backend import Backend, StartContext, load_backend
from gpucluster.protocol.errors import GPUClusterError, PreflightFailed
from gpucluster.protocol.kinds import parse_spec
from gpucluster.protocol.models import ClusterModel
from sklearn.cluster import KMeans as LocalKMeans
from sklearn.datasets import load_digits


def names(model: ClusterModel) -> set[str]:
    return {worker.name for worker in model.workers}


def messages(cluster: Any) -> str:
    return "\n".join(entry.message for entry in cluster.activity())


def marked_processes(variable: str, value: str) -> list[psutil.Process]:
    """Return the processes with this environment variable, except zombies."""
    found = []
    for process in psutil.process_iter(["name"]):
        try:
            if process.environ().get(variable) == value and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except (OSError, psutil.Error):
            continue
    return found


def stopped(site: Any, cluster: str) -> ClusterModel:
    """Stop a cluster, and return its model after the end."""
    site.control.stop(cluster)
    model: ClusterModel = site.wait_for(cluster, lambda model: model.state.ended)
    return model


def with_workers(site: Any, name: str, n: int) -> gpucluster.Cluster:
    """Scale a cluster to n workers, after earlier tests used it."""
    site.control.patch(name, {"n_workers": n})
    site.wait_for(name, lambda model: (model.n_workers, model.n_pending) == (n, 0))
    return gpucluster.connect(name)


def same_centres(cluster: gpucluster.Cluster) -> None:
    """Assert that K-means on a cluster finds the same centres as scikit-learn."""
    import dask.array as da
    from gpucluster.learn import KMeans

    X = load_digits().data
    with cluster.get_client():
        ours = KMeans(10, init=X[:10], n_init=1).fit(da.from_array(X, chunks=(500, -1)))
        theirs = LocalKMeans(10, init=X[:10], n_init=1).fit(X)
        np.testing.assert_allclose(ours.cluster_centers_, theirs.cluster_centers_, atol=1e-6)


def results_stay(site: Any, cluster: gpucluster.Cluster) -> ClusterModel:
    """Assert that results of a worker that is retired, or scaled away, move to others; return the model with one."""
    cluster.scale(3)
    *_, last = site.wait_for(cluster.name, lambda model: model.n_workers == 3).workers
    with cluster.get_client() as client:
        futures = client.scatter(list(range(10)), workers=[last.address])
        cluster.retire(last.name)
        site.wait_for(cluster.name, lambda model: last.name not in names(model))
        leaves = site.get(cluster.name).workers[-1]
        futures += client.scatter(list(range(10)), workers=[leaves.address])
        cluster.scale(1)
        model = site.wait_for(cluster.name, lambda model: model.n_workers == 1)
        assert sum(client.gather(futures)) == 2 * sum(range(10))
    return cast(ClusterModel, model)


async def refusal(folder: Path, kind: type[GPUClusterError] = PreflightFailed, **spec: Any) -> str:
    """Return why a spec is refused before anything starts."""
    context = StartContext(cluster_id="0badcafe", security=None, scratch_directory=folder, dashboard_prefix="x")
    with pytest.raises(kind) as error:
        await cast(Backend[Any], load_backend(spec["backend"])).preflight(parse_spec(spec), context)
    return str(error.value.message)
