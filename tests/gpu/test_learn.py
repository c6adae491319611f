"""`gpucluster.learn` on a real GPU, with cuML and with our own algorithms on CuPy."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from benchmarks.gpu.estimators import FITS

pytestmark = [pytest.mark.timeout(300), pytest.mark.filterwarnings("default")]
# One cluster for all tests: a start costs more than a fit.
WITHOUT_CUPY = {"RandomForestClassifier", "RandomForestRegressor", "MLPClassifier", "DBSCAN"}


@pytest.fixture(scope="module")
def device() -> Iterator[Any]:
    """Return a function that puts an array on the workers' GPU in three blocks."""
    with _device() as put:
        yield put


@pytest.fixture(scope="module")
def device_with_port() -> Iterator[Any]:
    """Return the same for a cluster whose workers have a host and a port."""
    with _device(protocol="tls") as put:
        yield put


@contextmanager
def _device(**options: Any) -> Iterator[Any]:
    import tempfile

    import gpucluster

    pytest.importorskip("cuml.dask", reason="needs cuML")
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory(prefix="gl", dir="/tmp") as folder:
        patch.setenv("GPUCLUSTER_DIR", folder)
        with gpucluster.create("cuda", n_workers=1, **options) as cluster, cluster.get_client() as client:

            def put(array: Any) -> Any:
                import cupy
                import dask.array as da
                from distributed import wait

                chunks = (-(-len(array) // 3), *array.shape[1:])
                lazy = da.from_array(array, chunks=chunks).map_blocks(
                    cupy.asarray, dtype=array.dtype, meta=cupy.empty((0,) * array.ndim, array.dtype)
                )
                kept = lazy.persist()
                wait(kept)
                return kept

            assert client is not None
            yield put


def _delegated(*, by_port: bool) -> list[str]:
    from gpucluster.learn.delegation import DELEGATED

    return [name for name in FITS if name in DELEGATED and DELEGATED[name].by_port == by_port]


@pytest.mark.parametrize("name", _delegated(by_port=True))
def test_cuml_matches_with_ports(device_with_port: Any, name: str) -> None:
    from gpucluster.learn import config_context

    fit = FITS[name]
    X, y = map(device_with_port, fit.data())
    with config_context(engine="cuml"):
        assert fit.differing(fit.fitted(X, y), X, y) == {}


@pytest.mark.parametrize("name", _delegated(by_port=True))
def test_own_algorithms_replace_cuml_without_ports(device: Any, name: str) -> None:
    fit = FITS[name]
    X, y = map(device, fit.data())
    model = fit.fitted(X, y)
    assert not hasattr(model, "_delegate")
    assert fit.differing(model, X, y) == {}


@pytest.mark.parametrize(
    ("engine", "name"),
    [
        *(("cuml", name) for name in _delegated(by_port=False)),
        *(("gpucluster", name) for name in FITS if name not in WITHOUT_CUPY),
    ],
)
def test_cuml_and_own_algorithms_match_scikit_learn(device: Any, engine: str, name: str) -> None:
    from gpucluster.learn import config_context

    fit = FITS[name]
    X, y = map(device, fit.data())
    with config_context(engine=engine):
        assert fit.differing(fit.fitted(X, y), X, y) == {}


def test_gpu_data_is_delegated_to_cuml(device: Any) -> None:
    from gpucluster.learn import KMeans

    for name, by_cuml in (("LogisticRegression", True), ("LinearRegression", False), ("KMeans", False), ("PCA", False)):
        X, y = map(device, FITS[name].data())
        assert hasattr(FITS[name].fitted(X, y), "_delegate") == by_cuml, name
    X = device(FITS["KMeans"].data()[0])
    for k, by_cuml in ((10, False), (300, True)):  # too many for the kernel
        model = KMeans(k, init="k-means||", max_iter=2, random_state=0).fit(X)
        assert hasattr(model, "_delegate") == by_cuml, k
    assert not hasattr(KMeans(300, init="k-means++", max_iter=1, random_state=0).fit(X), "_delegate")


def test_cuml_model_predicts_rows_in_memory(device: Any) -> None:
    import numpy as np

    fit = FITS["RandomForestClassifier"]
    rows, labels = fit.data()
    model = fit.fitted(*map(device, (rows, labels)))
    assert hasattr(model, "_delegate")
    found = model.predict(rows)
    assert isinstance(found, np.ndarray)
    assert np.mean(found == labels) > 0.95
    assert model.predict_proba(rows[:5]).shape == (5, 10)


def test_dbscan_takes_rows_on_a_gpu(device: Any) -> None:
    import numpy as np
    from gpucluster.learn import DBSCAN
    from sklearn.cluster import DBSCAN as PLAIN

    rows = FITS["KMeans"].data()[0]
    expected = PLAIN(eps=20.0, min_samples=5).fit(rows).labels_
    assert np.array_equal(DBSCAN(eps=20.0, min_samples=5).fit(device(rows)).labels_.compute(), expected)


def test_labels_on_a_gpu_can_be_compared(device: Any) -> None:
    import numpy as np
    from gpucluster.learn import accuracy_score, adjusted_rand_score

    _, labels = FITS["LogisticRegression"].data()
    others = np.roll(labels, 3)
    assert adjusted_rand_score(device(labels), device(labels)) == 1.0
    assert accuracy_score(device(labels), device(others)) == np.mean(labels == others)


def test_cuml_accepts_delegated_parameters() -> None:
    import importlib
    import inspect

    solvers = pytest.importorskip("cuml.solvers", reason="needs cuML")
    from gpucluster.learn.delegation import DELEGATED

    for name, entry in DELEGATED.items():
        module = "cuml.preprocessing" if "preprocessing" in entry.module else "cuml"
        found = getattr(importlib.import_module(module), name)
        known = {*inspect.signature(found).parameters}
        if name == "Lasso":  # passes unknown parameters to that solver
            known |= inspect.signature(solvers.CD).parameters.keys()
        passed = {*entry.same, *entry.values} - {*entry.checked}
        given = {entry.renamed.get(each, each) for each in passed} | entry.fixed.keys()
        assert given <= known, name
