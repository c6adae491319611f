"""The choice of sizes, and checks of results."""

from dataclasses import replace

import pytest
from gpucluster.bench.catalogue import WORKLOADS, workloads
from gpucluster.bench.errors import WrongResult
from gpucluster.bench.machine import hosts_of
from gpucluster.bench.result import HostFacts, doubts
from gpucluster.bench.running import ProgressBar, Sizes, largest_that_fits, require_same, work
from gpucluster.bench.workload import SIZES, Context, Outcome, Workload
from gpucluster.protocol.errors import InvalidRequest

GIB = 2**30


def toy(seconds: float = 0.0) -> Workload:
    """A workload that does nothing; its size in GiB is its number of rows."""
    return Workload(
        "toy", "Nothing", {size: {"rows": 10**number} for number, size in enumerate(SIZES)},
        prepare=lambda target, parameters: parameters["rows"], run=lambda rows: Outcome(float(rows)),
        memory_bytes=lambda parameters: parameters["rows"] * GIB, amount=lambda parameters: parameters["rows"],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("memory", "size"), [(None, "large"), (1.9, None), (2, "tiny"), (20, "small"), (1999, "medium"), (2000, "large")]
)
def test_the_largest_size_that_fits_into_half_of_the_memory(memory, size):
    assert largest_that_fits(toy(), "large", None if memory is None else memory * GIB) == size


@pytest.mark.parametrize("name", WORKLOADS)
def test_larger_sizes_need_more_memory_and_work(name):
    workload = WORKLOADS[name]
    assert set(workload.sizes) == set(SIZES)
    needed = [workload.memory_bytes(workload.sizes[size]) for size in SIZES]
    amounts = [work(workload, size) for size in SIZES]
    assert needed == sorted(needed) and amounts == sorted(amounts)
    # Tiny sizes are for a first try on any machine; small ones fit into two workers of one GiB.
    assert needed[0] <= 0.5 * GIB and needed[1] <= GIB


def test_too_large_size_is_replaced_with_note():
    sizes = Sizes("large", None, 20 * GIB, repeats=5)
    ready = sizes.prepared(toy(), Context(None, 1, 2))
    assert ready is not None and ready.size == "small"
    assert sizes.notes == ["toy: 'large' does not fit in half of the workers' memory, so 'small' was measured."]
    assert Sizes("tiny", None, GIB, repeats=5).prepared(toy(), Context(None, 1, 2)) is None


def test_sizes_grow_with_time_up_to_the_memory_limit():
    sizes = Sizes("tiny", 1000.0, 200 * GIB, repeats=5)
    ready = sizes.prepared(toy(), Context(None, 1, 2))
    assert ready is not None and (ready.size, ready.data) == ("medium", 100)
    again = sizes.prepared(toy(), Context(None, 2, 2))
    assert again is not None and again.size == "medium"
    ready = Sizes("tiny", 0.0, None, repeats=5).prepared(toy(), Context(None, 1, 2))
    assert ready is not None and ready.size == "tiny"


def test_different_results_are_an_error():
    require_same(toy(), 1.0, 1.0 + 1e-9, "two runs")
    with pytest.raises(WrongResult, match="results of two runs differ"):
        require_same(toy(), 1.0, 1.1, "two runs")
    with pytest.raises(WrongResult, match="differ"):
        require_same(toy(), 1.0, float("nan"), "two runs")
    values = iter([1.0, 1.0, 2.0])
    changing = replace(toy(), run=lambda rows: Outcome(next(values)))
    ready = Sizes("tiny", None, None, 2).prepared(changing, Context(None, 1, 2))
    assert ready is not None
    with pytest.raises(WrongResult, match="differ"):
        ready.measure(2, lambda number: None)


def test_unknown_workloads():
    assert [one.name for one in workloads(["svd", "merge"])] == ["merge", "svd"]
    with pytest.raises(InvalidRequest, match=r"unknown workload 'kmean'. Did you mean 'kmeans'\?"):
        workloads(["kmean"])


def test_equal_computers_are_counted_together():
    report = {"cpu_model": "A", "cpus": 4, "memory_bytes": 64 * 10**9, "system": "Linux", "load": 1.0}
    reports = {f"tls://{host}:{n}": {**report, "host": host} for host in ("a", "b") for n in range(2)}
    reports["tls://c:0"] = {**report, "host": "c", "cpus": 8}
    gpus = {address: {"gpu": {"name": "GPU X", "memory-total": 80}} for address in reports if "c" not in address[6:7]}
    few, many = hosts_of(reports, gpus, {"a": 0.5, "b": 2.5})
    assert (few.count, few.n_workers, few.gpus, few.load_before) == (2, 4, ["GPU X"] * 4, 2.5)
    assert (many.count, many.cpus, many.gpus, many.load_before) == (1, 8, [], None)


def test_doubts(make_result):
    host = HostFacts(count=1, n_workers=2, cpus=2, memory_bytes=GIB, system="Linux", load_before=1.5)
    ones = make_result([{"seconds": [0.01, 0.01, 0.01]}, {"workload": "pca", "seconds": [1.0, 2.0, 3.0]}]).measurements
    busy, short, wide = doubts(ones, [host])
    assert "load 1.5 on 2 CPUs" in busy
    assert "a run: kmeans." in short and "apart: pca." in wide
    assert doubts(make_result([{}]).measurements, [host.model_copy(update={"load_before": 0.2})]) == []


def test_progress_bar():
    lines = []
    progress = ProgressBar(4, lines.append)
    progress.show("begin")
    progress.step("half", 2)
    progress.step("done", 5)
    assert [line.split()[-2:] for line in lines] == [["0%", "begin"], ["50%", "half"], ["100%", "done"]]
    assert lines[-1].startswith("█" * 24)
