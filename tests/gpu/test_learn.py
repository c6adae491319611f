"""`gpucluster.learn` on a real GPU: by cuML, and by this package's own algorithms on CuPy."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from benchmarks.gpu.estimators import FITS

pytestmark = [pytest.mark.gpu, pytest.mark.timeout(300), pytest.mark.filterwarnings("default")]
# Everything in these tests runs on one cluster: a start costs more than a fit.
WITHOUT_CUPY = {"RandomForestClassifier", "RandomForestRegressor", "MLPClassifier", "DBSCAN"}


@pytest.fixture(scope="module")
def device() -> Iterator[Any]:
    """Give what puts an array on the workers' GPU, in three blocks."""
    with _device() as put:
        yield put


@pytest.fixture(scope="module")
def device_with_port() -> Iterator[Any]:
    """Give the same on a cluster whose workers have a host and a port."""
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
                lazy = lazy.persist()
                wait(lazy)
                return lazy

            assert client is not None
            yield put


def _delegated(*, by_port: bool) -> list[str]:
    from gpucluster.learn.delegation import DELEGATED

    return [name for name in FITS if name in DELEGATED and DELEGATED[name].by_port == by_port]


@pytest.mark.parametrize("name", _delegated(by_port=True))
def test_cuml_finds_it_where_workers_have_a_port(device_with_port: Any, name: str) -> None:
    from gpucluster.learn import config_context

    fit = FITS[name]
    X, y = map(device_with_port, fit.data())
    with config_context(engine="cuml"):
        assert fit.differing(fit.fitted(X, y), X, y) == {}


@pytest.mark.parametrize("name", _delegated(by_port=True))
def test_without_a_port_our_own_take_their_place(device: Any, name: str) -> None:
    fit = FITS[name]
    X, y = map(device, fit.data())
    model = fit.fitted(X, y)
    assert not hasattr(model, "_delegate")
    assert fit.differing(model, X, y) == {}


@pytest.mark.parametrize("name", _delegated(by_port=False))
def test_cuml_finds_what_scikit_learn_finds(device: Any, name: str) -> None:
    from gpucluster.learn import config_context

    fit = FITS[name]
    X, y = map(device, fit.data())
    with config_context(engine="cuml"):
        model = fit.fitted(X, y)
        assert fit.differing(model, X, y) == {}


@pytest.mark.parametrize("name", [name for name in FITS if name not in WITHOUT_CUPY])
def test_our_own_algorithms_find_it_on_cupy(device: Any, name: str) -> None:
    from gpucluster.learn import config_context

    fit = FITS[name]
    X, y = map(device, fit.data())
    with config_context(engine="gpucluster"):
        model = fit.fitted(X, y)
        assert fit.differing(model, X, y) == {}


def test_data_on_a_gpu_are_fitted_by_cuml_unless_it_cannot(device: Any) -> None:
    from gpucluster.learn import KMeans

    X = device(FITS["KMeans"].data()[0])
    assert hasattr(FITS["KMeans"].fitted(X, None), "_delegate")
    assert not hasattr(KMeans(10, init="k-means++", random_state=0).fit(X), "_delegate")


def test_cuml_knows_the_parameters_that_it_is_given() -> None:
    import importlib
    import inspect

    solvers = pytest.importorskip("cuml.solvers", reason="needs cuML")
    from gpucluster.learn.delegation import DELEGATED

    for name, entry in DELEGATED.items():
        module = "cuml.preprocessing" if "preprocessing" in entry.module else "cuml"
        found = getattr(importlib.import_module(module), name)
        known = {*inspect.signature(found).parameters}
        if name == "Lasso":  # hands on to that solver what it does not know itself
            known |= inspect.signature(solvers.CD).parameters.keys()
        told = {*entry.same, *entry.values} - {*entry.checked}
        given = {entry.renamed.get(each, each) for each in told} | entry.fixed.keys()
        assert given <= known, name
