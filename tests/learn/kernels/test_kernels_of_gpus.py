"""The CUDA C++ kernels on a SIMULATED GPU (tests/fakes/gpu_kernels): compiled for the CPU, which proves no GPU."""

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gpucluster.learn.kernels import lloyd, moments
from gpucluster.learn.kernels.on_gpu import cuda
from gpucluster.learn.kernels.on_gpu import lloyd as lloyd_on_gpu
from gpucluster.learn.kernels.on_gpu import moments as moments_on_gpu
from gpucluster.learn.rows.block import Block

sys.path.insert(0, str(Path(__file__).parents[2] / "fakes"))

from gpu_kernels.emulated import CuPy, Device

CACHED = (cuda._blocks_at_once, cuda.can_be_compiled, cuda._compiled, lloyd_on_gpu._is_right, moments_on_gpu._is_right)
TABLES = [
    # rows, columns, clusters
    (1000, 32, 16), (999, 5, 3), (300, 1, 17), (300, 20, 40), (200, 100, 20), (200, 13, 130), (0, 4, 2),
]  # fmt: skip

pytestmark = pytest.mark.processes  # the compiler


@pytest.fixture(scope="module")
def compiler(tmp_path_factory: pytest.TempPathFactory) -> CuPy:
    """A stand-in for CuPy, which keeps compiled kernels for all tests."""
    if sys.platform != "linux":
        pytest.skip("the emulation needs Linux' barriers of threads")
    if shutil.which("g++") is None:
        pytest.skip("these tests compile kernels for the CPU: install g++")
    return CuPy(tmp_path_factory.mktemp("kernels"))


@pytest.fixture(autouse=True)
def gpu(compiler: CuPy, monkeypatch: pytest.MonkeyPatch) -> Iterator[CuPy]:
    """Treat NumPy arrays as arrays on a GPU."""
    monkeypatch.setitem(sys.modules, "cupy", compiler)
    monkeypatch.setattr(cuda, "is_of_numpy", lambda array: False)
    monkeypatch.setattr(cuda, "is_aligned", lambda array: array.ctypes.data % cuda.ALIGNED_BYTES == 0)
    monkeypatch.setattr(cuda, "device_of", lambda array: compiler.where.get(id(array), 0))
    for function in CACHED:
        function.cache_clear()
    yield compiler
    compiler.where.clear()  # another array may get the same id
    for function in CACHED:
        function.cache_clear()


def table(n_rows: int, n_columns: int, k: int, dtype: Any, *, far: bool) -> tuple[Any, Any, Any, Any]:
    random = np.random.default_rng(n_rows + n_columns)
    X = (random.normal(size=(n_rows, n_columns)) + 1000 * far).astype(dtype)
    offset = np.full(n_columns, 1000.0) if far else None
    weights = random.random(n_rows).astype(dtype) if far else None
    return X, weights, random.normal(size=(k, n_columns)).astype(dtype), offset


@pytest.mark.parametrize("far", [False, True])
@pytest.mark.parametrize(("n_rows", "n_columns", "k"), TABLES)
@pytest.mark.full
def test_one_pass_of_lloyd(n_rows: int, n_columns: int, k: int, far: bool) -> None:
    for dtype, near in ((np.float32, 1e-5), (np.float64, 1e-12)):
        X, weights, centers, offset = table(n_rows, n_columns, k, dtype, far=far)
        if not lloyd_on_gpu.is_taken(X, k):
            assert dtype == np.float64
            assert n_columns in {13, 100}
            continue
        everything = {"sums": True, "labels": True, "inertia": True, "distances": True}
        found = lloyd_on_gpu.pass_over(X, centers, offset, weights, **everything)
        rows = X.astype(np.float64) - (0 if offset is None else offset)
        apart = ((rows[:, None] - centers.astype(np.float64)) ** 2).sum(axis=2)
        heavy = np.ones(n_rows) if weights is None else weights.astype(np.float64)
        np.testing.assert_array_equal(found.labels, apart.argmin(axis=1))
        np.testing.assert_allclose(found.distances, apart.min(axis=1), rtol=100 * near)
        np.testing.assert_allclose(found.inertia, apart.min(axis=1) @ heavy, rtol=10 * near)
        belongs = (found.labels == np.arange(k)[:, None]) * heavy
        np.testing.assert_allclose(found.weights, belongs.sum(axis=1), rtol=10 * near, atol=near)
        np.testing.assert_allclose(found.sums, belongs @ rows, rtol=100 * near, atol=1000 * near)
        again = lloyd_on_gpu.pass_over(X, centers, offset, weights, sums=True)
        np.testing.assert_array_equal(again.sums, found.sums)  # bit by bit
        assert again.labels.size == again.distances.size == 0


def test_rows_that_are_added_up_in_several_launches(gpu: CuPy, monkeypatch: pytest.MonkeyPatch) -> None:
    X, _, centers, _ = table(1000, 5, 3, np.float32, far=False)
    whole = lloyd_on_gpu.pass_over(X, centers, sums=True, labels=True, inertia=True)
    monkeypatch.setattr(lloyd_on_gpu, "MOST_ROWS_OF_FEW", 1)
    monkeypatch.setattr(cuda, "n_blocks_for", lambda *_: 2)
    before = gpu.launches
    parts = lloyd_on_gpu.pass_over(X, centers, sums=True, labels=True, inertia=True)
    assert gpu.launches - before == 16  # of 64 rows
    np.testing.assert_array_equal(parts.labels, whole.labels)
    np.testing.assert_allclose(parts.sums, whole.sums, atol=1e-4)
    assert parts.inertia == pytest.approx(whole.inertia)


@pytest.mark.parametrize("weighted", [False, True])
def test_sums_of_clusters_are_as_good_as_float32(weighted: bool) -> None:
    """Tensor cores use 11 of its 24 bits: without the small parts of rows and weights, sums would be 1e-4 off."""
    X, _, centers, _ = table(2000, 20, 16, np.float32, far=False)
    weights = np.random.default_rng(0).random(2000).astype(np.float32) if weighted else None
    found = lloyd_on_gpu.pass_over(X, centers, None, weights, sums=True, labels=True)
    heavy = np.ones(2000) if weights is None else weights.astype(np.float64)
    belongs = (found.labels == np.arange(16)[:, None]) * heavy
    rows = X.astype(np.float64)
    assert (np.abs(found.sums - belongs @ rows) / (belongs @ np.abs(rows))).max() < 5e-7
    np.testing.assert_allclose(found.weights, belongs.sum(axis=1), rtol=1e-6)


@pytest.mark.full
def test_close_centres_are_distinguished() -> None:
    """Without the small parts of centres, many labels would be wrong."""
    X, _, half, _ = table(1000, 32, 8, np.float32, far=False)
    apart = np.random.default_rng(1).normal(size=half.shape).astype(np.float32) / 1000
    centers = np.concatenate([half, half + apart])
    found = lloyd_on_gpu.pass_over(X, centers, labels=True).labels
    distances = ((X[:, None].astype(np.float64) - centers) ** 2).sum(axis=2)
    assert (found != distances.argmin(axis=1)).mean() < 0.003


def test_rows_between_centres_get_nearest() -> None:
    """Without the small parts of rows, many labels would be wrong."""
    X, _, centers, _ = table(1000, 32, 2, np.float64, far=False)
    apart = centers[1] - centers[0]
    X -= np.outer(X @ apart, apart) / (apart @ apart)
    labels = np.arange(1000) % 2
    X += centers.mean(axis=0) - centers.mean(axis=0) @ apart * apart / (apart @ apart)
    X += np.outer(((centers**2).sum(axis=1) @ [-1, 1] / 2) / (apart @ apart) + np.where(labels, 5e-6, -5e-6), apart)
    found = lloyd_on_gpu.pass_over(X.astype(np.float32), centers.astype(np.float32), labels=True).labels
    np.testing.assert_array_equal(found, labels)


@pytest.mark.full
def test_products_of_many_rows_are_added_up_in_float64(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda, "n_blocks_for", lambda *_: 1)
    X = np.full((40_000, 1), 1.1, np.float32)
    sums, products = moments_on_gpu.products_of(X, np.zeros(1, np.float32), None, np.dtype(np.float32))
    value = float(X[0, 0])
    np.testing.assert_allclose(products, [[len(X) * value**2]], rtol=1e-6)
    np.testing.assert_allclose(sums, [len(X) * value], rtol=1e-6)


@pytest.mark.full
def test_labels_of_many_clusters_need_no_sums() -> None:
    X, _, centers, _ = table(100, 20, 150, np.float32, far=False)
    found = lloyd_on_gpu.pass_over(X, centers, labels=True, distances=True)
    apart = ((X[:, None].astype(np.float64) - centers) ** 2).sum(axis=2)
    np.testing.assert_array_equal(found.labels, apart.argmin(axis=1))
    np.testing.assert_allclose(found.distances, apart.min(axis=1), rtol=1e-5)


def test_shared_memory_is_enough_for_every_pass() -> None:
    """All passes share one CUDA function: a pass without sums once left too little shared memory for the next one."""
    X, _, centers, _ = table(300, 128, 16, np.float32, far=False)
    for options in ({"sums": True}, {"inertia": True}, {"sums": True}):
        lloyd_on_gpu.pass_over(X, centers, **options)
    launch = lloyd_on_gpu.launch_for(X.dtype, 128, 16, summed=True, shifted=False, weighted=False, apart=False)
    assert launch.shared_bytes > 48 << 10, "otherwise this tests nothing"


def test_nan_in_a_row_gives_nan_results() -> None:
    X, _, centers, _ = table(300, 4, 3, np.float32, far=False)
    X[17, 2] = np.nan
    found = lloyd_on_gpu.pass_over(X, centers, sums=True, inertia=True)
    assert np.isnan(found.sums).any()
    assert np.isnan(found.inertia)


@pytest.mark.full
def test_blocks_go_through_the_kernels(gpu: CuPy) -> None:
    X, weights, centers, offset = table(999, 5, 3, np.float32, far=True)
    block = Block(0, 0, X, weights=weights)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cuda, "is_of_numpy", lambda array: True)
        expected = lloyd.sums_of(block, centers, offset)
        inertia, labels = lloyd.inertia_of(block, centers, offset), lloyd.labels_of(X, centers, offset)
        spread, apart = moments.moments(block), lloyd.Nearest().distances(block, centers, offset)
    before = gpu.launches
    found, kept = lloyd.sums_of(block, centers, offset), {}
    np.testing.assert_allclose(found.sums, expected.sums, rtol=1e-3, atol=1e-2)
    np.testing.assert_allclose(found.weights, expected.weights, rtol=1e-4)
    assert lloyd.inertia_of(block, centers, offset, kept) == pytest.approx(inertia, rel=1e-4)
    np.testing.assert_array_equal(kept[0], labels)
    np.testing.assert_array_equal(lloyd.labels_of(X, centers, offset), labels)
    np.testing.assert_allclose(lloyd.Nearest().distances(block, centers, offset), apart, rtol=1e-2, atol=1e-3)
    mine = moments.moments(block)
    assert gpu.launches - before == 7, "five passes over the block, and an example of each kernel"
    assert (mine.n_rows, mine.weight) == pytest.approx((spread.n_rows, spread.weight))
    np.testing.assert_allclose(mine.mean, spread.mean, rtol=1e-6)
    np.testing.assert_allclose(mine.scatter, spread.scatter, rtol=1e-3, atol=0.05)


@pytest.mark.parametrize(
    ("n_rows", "n_columns", "weighted"),
    [(1000, 32, False), (999, 5, True), (300, 20, True), (100, 16, False), (200, 64, True), (1, 3, False)],
)
@pytest.mark.parametrize(("dtype", "work"), [("float32", "float32"), ("float32", "float64"), ("float64", "float64")])
@pytest.mark.full
def test_products_of_columns(n_rows: int, n_columns: int, weighted: bool, dtype: str, work: str) -> None:
    X, weights, _, _ = table(n_rows, n_columns, 1, dtype, far=weighted)
    shift = X[0]
    near = 1e-11 if work == "float64" else 1e-5
    sums, products = moments_on_gpu.products_of(X, shift, weights, np.dtype(work))
    rows = X.astype(np.float64) - shift.astype(np.float64)
    heavy = np.ones(n_rows) if weights is None else weights.astype(np.float64)
    expected = (rows * heavy[:, None]).T @ rows
    np.testing.assert_allclose(products, expected, rtol=near, atol=near * max(1.0, float(np.abs(expected).max())))
    largest = max(1.0, float(np.abs(heavy @ rows).max()))
    np.testing.assert_allclose(sums, heavy @ rows, rtol=10 * near, atol=10 * near * largest)
    np.testing.assert_array_equal(products, products.T)


def test_products_of_float32_have_its_precision() -> None:
    """Tensor cores use 11 of its 24 bits: without multiplying two parts of each number, the error would be 1e-4."""
    X, _, _, _ = table(5000, 16, 1, np.float32, far=False)
    _, products = moments_on_gpu.products_of(X, X[0], None, np.dtype(np.float32))
    rows = X.astype(np.float64) - X[0].astype(np.float64)
    lengths = np.sqrt((rows**2).sum(axis=0))
    assert np.abs((products - rows.T @ rows) / np.outer(lengths, lengths)).max() < 3e-7


@pytest.mark.full
def test_columns_without_variance_have_none(gpu: CuPy) -> None:
    X = np.full((500, 6), np.float32(1000.1))
    before = gpu.launches
    found = moments.moments(Block(0, 0, X))
    assert gpu.launches > before
    np.testing.assert_array_equal(found.scatter, np.zeros((6, 6)))
    np.testing.assert_array_equal(found.mean, X[0].astype(np.float64))


def test_unsupported_arrays() -> None:
    X, _, _, _ = table(100, 8, 2, np.float32, far=False)
    assert lloyd_on_gpu.is_taken(X, 2)
    assert moments_on_gpu.is_taken(X, X.dtype)
    for other in (X.astype(np.int64), X.astype(np.float16), X[:, :0]):
        assert not lloyd_on_gpu.is_taken(other, 2)
        assert not moments_on_gpu.is_taken(other, X.dtype)
    assert not lloyd_on_gpu.is_taken(X, 5000), "too many clusters for shared memory"
    assert lloyd_on_gpu.is_taken(np.zeros((9, 32), np.float32), 130, summed=False)
    assert not lloyd_on_gpu.is_taken(np.zeros((9, 32), np.float32), 190)
    assert not moments_on_gpu.is_taken(np.zeros((9, 65), np.float32), X.dtype)


def views(X: Any) -> dict[str, Any]:
    """Return the same rows in layouts that the kernels cannot read."""
    shifted = np.zeros(X.size + 1, X.dtype)[1:].reshape(X.shape)
    shifted[...] = X
    return {
        "columns together": np.asfortranarray(X),
        "an odd address": shifted,
        "a part": np.repeat(X, 2, axis=1)[:, ::2],
    }


@pytest.mark.parametrize("name", ["columns together", "an odd address", "a part"])
@pytest.mark.full
def test_rows_that_are_copied_a_piece_at_a_time(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    X, weights, centers, offset = table(999, 5, 3, np.float32, far=True)
    view = views(X)[name]
    assert not (view.flags.c_contiguous and view.ctypes.data % 16 == 0)
    monkeypatch.setattr(cuda, "COPIED_BYTES", 5 * 4 * 400)
    everything = {"sums": True, "labels": True, "inertia": True, "distances": True}
    found, expected = (lloyd_on_gpu.pass_over(rows, centers, offset, weights, **everything) for rows in (view, X))
    np.testing.assert_array_equal(found.labels, expected.labels)
    np.testing.assert_array_equal(found.distances, expected.distances)
    np.testing.assert_allclose(found.sums, expected.sums, rtol=1e-4, atol=1e-4)
    assert found.inertia == pytest.approx(expected.inertia)
    mine, theirs = (moments_on_gpu.products_of(rows, X[0], weights, np.dtype("float32")) for rows in (view, X))
    for one, other in zip(mine, theirs, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-2)


def test_each_gpu_has_its_own_function(gpu: CuPy) -> None:
    X, _, centers, _ = table(300, 128, 16, np.float32, far=False)
    other = X.copy()
    gpu.where[id(other)] = 1
    first, second = (lloyd_on_gpu.pass_over(rows, centers, sums=True) for rows in (X, other))
    np.testing.assert_array_equal(first.sums, second.sums)
    assert gpu.used == {0, 1}
    assert gpu.current == 0, "the current device is restored"


@pytest.mark.parametrize("fault", ["old", "without a compiler"])
def test_missing_requirements(gpu: CuPy, monkeypatch: pytest.MonkeyPatch, fault: str, caplog: Any) -> None:
    if fault == "old":
        monkeypatch.setattr(Device, "compute_capability", "75")
    else:
        monkeypatch.setattr(gpu, "RawKernel", lambda *_: 1 / 0)
    X, _, centers, _ = table(100, 8, 2, np.float32, far=False)
    assert not lloyd_on_gpu.is_taken(X, 2)
    assert lloyd.sums_of(Block(0, 0, X), centers, None).weights.sum() == 100
    assert ("cannot be compiled" in caplog.text) == (fault != "old")


FAULTS = {
    "moments": ("multiply(found, ll, rl);", ";"),
    "lloyd_few": ("multiply(found, belongs[r], large[r][tile]);", ";"),
    "lloyd": ("nearest = begin + q;", "nearest = begin;"),
}


@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.full
def test_wrong_kernel_is_not_used(monkeypatch: pytest.MonkeyPatch, caplog: Any, name: str) -> None:
    right = cuda.source_of(name)
    assert FAULTS[name][0] in right
    wrong = {name: right.replace(*FAULTS[name])}
    original = cuda.source_of
    monkeypatch.setattr(cuda, "source_of", lambda name: wrong.get(name, original(name)))
    n_clusters = 130 if name == "lloyd" else 3
    X, _, centers, _ = table(300, 9, n_clusters, np.float32, far=False)
    block = Block(0, 0, X)
    if name == "moments":
        assert not moments_on_gpu.is_taken(X, X.dtype)
        np.testing.assert_allclose(moments.moments(block).scatter, 299 * np.cov(X.T), rtol=1e-3, atol=1e-2)
    else:
        assert not lloyd_on_gpu.is_taken(X, n_clusters)
        assert lloyd.sums_of(block, centers, None).weights.sum() == 300
    assert f"{name!r} gives wrong results on GPU 0" in caplog.text


def test_a_kernel_that_does_not_run_is_not_used(gpu: CuPy, monkeypatch: pytest.MonkeyPatch, caplog: Any) -> None:
    run = gpu.RawKernel
    monkeypatch.setattr(
        gpu, "RawKernel", lambda code, name, **more: run(code, name, **more) if name == "nothing" else 1 / 0
    )
    X, _, _, _ = table(100, 9, 3, np.float32, far=False)
    assert not moments_on_gpu.is_taken(X, X.dtype)
    assert not lloyd_on_gpu.is_taken(X, 3)
    assert caplog.text.count("does not run on GPU 0") == 2
