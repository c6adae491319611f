"""The rest of a user's share, and the values of fields that a request leaves open."""

import pytest
from gpucluster.backends.cuda.backend import DeviceChoice
from gpucluster.backends.cuda.spec import CudaSpec
from gpucluster.backends.local import LocalSpec
from gpucluster.client.starting import capacity
from gpucluster.client.starting.capacity import checked_spec, demand_of
from gpucluster.protocol.capacity import Machine
from gpucluster.protocol.models import DeviceModel, HostDevices
from gpucluster.protocol.sizes import parse_size, rounded_down
from gpucluster.sharing.claims import NodeClaims
from gpucluster.sharing.node import GPUPolicy
from gpucluster.site import limits, quota
from gpucluster.site.quota import Remaining, fault_of_request
from gpucluster.site.sharing import PerUser

GIB = 2**30


@pytest.fixture
def machine(monkeypatch):
    """A machine of 2 cores and 24 GiB."""
    for module in (quota, limits, capacity):
        monkeypatch.setattr(module, "this_machine", lambda: Machine(memory_bytes=24 * GIB, cores=2))


@pytest.mark.parametrize(
    ("wanted", "fault"),
    [
        ({}, None),
        ({"n_workers": 1}, None),
        ({"n_workers": 4}, None),
        ({"n_workers": 0, "memory_limit": "6 GiB"}, None),
        ({"n_workers": 5}, "5 workers. Request at most 4 workers."),
        ({"threads_per_worker": 5}, "5 threads. Request at most 4 for each (threads_per_worker, --threads-per-worker"),
        ({"n_workers": 3, "threads_per_worker": 2}, "6 threads. Request at most 1 for each (threads"),
        ({"memory_limit": "6 GiB"}, "6 GiB of memory. Request at most 4 GiB for each worker (memory_limit, --memory"),
        ({"memory_limit": 0.5}, "12 GiB of memory. Request at most 4 GiB for each worker"),
        ({"n_workers": 3, "memory_limit": "2 GiB"}, "Request at most 1365 MiB for each worker (memory_limit, --memory"),
        ({"memory_limit": None}, "no memory limit. Request at most 4 GiB for each worker"),
    ],
)  # fmt: skip
def test_open_fields_are_not_refused(machine, wanted, fault):
    left = Remaining(most=PerUser(workers=4, threads=4, memory=4 * GIB))
    found = fault_of_request(LocalSpec(**wanted), left)
    assert (found is None) if fault is None else (found is not None and fault in found)


def test_open_workers_and_memory_are_lowered(machine):
    left = Remaining(most=PerUser(workers=4, threads=4, memory=4 * GIB))
    assert left.lowered(LocalSpec(), 8) == 4
    assert left.lowered(LocalSpec(threads_per_worker=3), 8) == 1
    assert left.lowered(LocalSpec(memory_limit="3 GiB"), 8) == 1
    assert left.memory_limit(LocalSpec(), 12 * GIB, 2) == 2 * GIB
    assert left.memory_limit(LocalSpec(), GIB, 2) == GIB
    assert left.memory_limit(LocalSpec(memory_limit="6 GiB"), 6 * GIB, 1) == 6 * GIB
    assert left.lowered(CudaSpec(), 8) == 4
    nothing = Remaining(most=PerUser())
    assert nothing.lowered(LocalSpec(), 8) == 8
    assert nothing.memory_limit(LocalSpec(), 12 * GIB, 1) == 12 * GIB


def test_worker_limit_does_not_replace_quota(machine, tmp_path, monkeypatch):
    """With both limits, open memory would take the worker limit and be refused."""
    file = tmp_path / "site.yaml"
    file.write_text("limits:\n  all: {memory_limit: 8 GiB}\nsharing:\n  per_user: {memory: 4 GiB}\n")
    monkeypatch.setenv("GPUCLUSTER_SITE", str(file))
    spec = checked_spec({"backend": "local", "n_workers": 1})
    assert fault_of_request(spec, Remaining()) is None
    assert demand_of(spec).memory_limit_bytes == 4 * GIB
    file.write_text("limits:\n  all: {memory_limit: 1 GiB}\nsharing:\n  per_user: {memory: 4 GiB}\n")
    assert demand_of(checked_spec({"backend": "local", "n_workers": 1})).memory_limit_bytes == GIB


def test_gpu_claims_respect_worker_quota(machine):
    devices = [
        DeviceModel(uuid=f"GPU-{number:08}", index=number, name="GPU", visible=True, memory_total_bytes=80 * GIB)
        for number in range(4)
    ]
    host = HostDevices(available=True, message="", code="ok", devices=devices)
    left = Remaining(most=PerUser(memory=GIB))
    assert DeviceChoice(CudaSpec(memory_limit="512 MiB"), None, left).make(host).n_workers == 2
    assert DeviceChoice(CudaSpec(), None).make(host).n_workers == 4


@pytest.mark.parametrize(("mark", "label"), [("3", "slot 1 of 2 (coop"), ("x0123abcd", "one of 2 slots (coop")])
def test_slot_without_number_is_shown(mark, label):
    choice = DeviceChoice(CudaSpec(), NodeClaims(GPUPolicy(slots=2)))
    assert choice._slot(DeviceModel(uuid="GPU-1"), mark).label.startswith(label)


@pytest.mark.parametrize("size", [2**20, 300 * 2**20 + 7, 3 * GIB // 2, 4 * GIB, 10 * GIB + 5, 99 * GIB // 8])
def test_suggested_value_is_accepted(size):
    assert 0.9 * size < parse_size(rounded_down(size)) <= size
