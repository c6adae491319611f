"""More than this machine has: refused if impossible, reported if shared."""

from typing import Any

import pytest
from distributed import LocalCluster
from distributed.core import Status
from gpucluster.backends.backend import StartContext
from gpucluster.backends.local import LocalBackend, LocalSpec
from gpucluster.client.starting.capacity import demand_of
from gpucluster.devices.host import this_machine
from gpucluster.protocol.capacity import Machine
from gpucluster.protocol.errors import InvalidRequest, PreflightFailed
from gpucluster.protocol.sizes import format_size

MACHINE = this_machine()
TOO_MUCH = MACHINE.memory_bytes + 2**30
MOST_OF_IT = MACHINE.memory_bytes * 3 // 4


async def test_worker_larger_than_the_machine_is_refused(tmp_path):
    context = StartContext("0000000a", None, tmp_path, "secret")
    with pytest.raises(PreflightFailed, match="^memory_limit: ") as refused:
        await LocalBackend().preflight(LocalSpec(n_workers=2, memory_limit=TOO_MUCH), context)
    assert [fault.field for fault in refused.value.fields] == ["memory_limit"]
    assert format_size(MACHINE.memory_bytes) in refused.value.message


GIB = 2**30


@pytest.mark.parametrize(
    ("n_workers", "threads", "machine", "each"),
    [
        (1, 4, Machine(24 * GIB, 2), 24 * GIB),
        (1, 4, Machine(256 * GIB, 64), 256 * GIB),
        (4, 16, Machine(256 * GIB, 64), 64 * GIB),
        (3, 1, Machine(16 * GIB, 8), 16 * GIB // 3),
        (8, 2, Machine(16 * GIB, 4), 2 * GIB),
    ],
)
async def test_worker_memory_equals_that_of_a_local_cluster(n_workers, threads, machine, each, tmp_path, monkeypatch):
    monkeypatch.setattr("distributed.system.MEMORY_LIMIT", machine.memory_bytes)
    monkeypatch.setattr("distributed.deploy.local.CPU_COUNT", machine.cores)
    of_dask: Any = LocalCluster(n_workers=n_workers, threads_per_worker=threads, asynchronous=True)
    assert of_dask.new_spec["options"]["memory_limit"] == each
    of_dask.status = Status.closed  # It was not awaited, so there is no process.

    monkeypatch.setattr("gpucluster.backends.local.shared_machine", lambda: machine)
    monkeypatch.setattr("gpucluster.client.starting.capacity.this_machine", lambda: machine)
    spec = LocalSpec(n_workers=n_workers, threads_per_worker=threads)
    plan = await LocalBackend().preflight(spec, StartContext("0000000a", None, tmp_path, "secret"))
    assert (plan.options["memory_limit"], plan.memory_limit_bytes) == (each, each)
    demand = demand_of(spec)
    assert demand is not None
    assert demand.memory_limit_bytes == each, "as the form shows it"
    # Later workers share the memory, down to a minimum.
    assert [plan.memory_of(count) for count in (1, n_workers, 2 * n_workers, 100_000)] == [
        each, each, machine.memory_bytes // (2 * n_workers), 256 * 2**20,
    ]  # fmt: skip


def test_too_large_worker_is_refused_at_the_request(shared_site):
    before = shared_site.control.list()
    with pytest.raises(InvalidRequest, match="^memory_limit: .* is more than the .* that this machine has"):
        shared_site.create(memory_limit=TOO_MUCH)
    with pytest.raises(InvalidRequest, match="^memory_limit: "):
        shared_site.control.create(LocalSpec(memory_limit=TOO_MUCH))
    for ask in (shared_site.control.create, shared_site.control.notes):
        with pytest.raises(InvalidRequest) as refused:
            ask({"backend": "local", "colour": 1, "kernel_name": "", "memory_limit": TOO_MUCH, "n_workers": -1})
        named = [fault.field for fault in refused.value.fields]
        assert named == ["n_workers", "memory_limit", "kernel_name", "colour"]
        with pytest.raises(InvalidRequest, match="cudf_spill_stats needs enable_cudf_spill") as refused:
            ask({"backend": "cuda", "memory_limit": TOO_MUCH, "cudf_spill_stats": 1})
        assert [fault.field for fault in refused.value.fields] == ["memory_limit", ""]
    assert shared_site.control.list() == before


@pytest.mark.full
def test_overcommitment_is_shown_before_and_after_the_start(site):
    options = {"backend": "local", "n_workers": 2, "threads_per_worker": MACHINE.cores, "memory_limit": MOST_OF_IT}
    threads, cores = 2 * MACHINE.cores, MACHINE.cores
    before = site.control.notes(options)
    assert len(before) == 2
    assert f"{format_size(2 * MOST_OF_IT)} together; this machine has {format_size(MACHINE.memory_bytes)}" in before[0]
    assert f"{threads} threads (2 workers with {cores} each) run on {cores} core" in before[1]

    model = site.running(**options)
    assert model.notes == before
    demand = demand_of(LocalSpec(n_workers=2, threads_per_worker=MACHINE.cores))
    assert demand is not None
    assert (demand.n_workers, demand.machine_cores, demand.machine_memory_bytes) == (2, cores, MACHINE.memory_bytes)
    # "auto" is what the backend makes of it, too.
    assert demand.memory_limit_bytes == MACHINE.memory_bytes // 2
    sample = site.control.telemetry(model.id)
    assert (sample.host_memory_bytes, sample.host_cores) == (MACHINE.memory_bytes, cores)

    fewer = site.control.patch_notes(model.id, {"n_workers": 1})
    assert fewer == []
    site.control.patch(model.id, {"n_workers": 1})
    assert site.control.wait(model.id).notes == []
    more = site.control.patch_notes(model.id, {"adapt": {"minimum": 1, "maximum": 3}})
    assert f"3 workers may use {format_size(MOST_OF_IT)} of memory each" in more[0]
    assert site.control.patch(model.id, {"adapt": {"minimum": 1, "maximum": 3}}).notes == more
