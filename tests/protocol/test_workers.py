"""Finding a worker by name."""

from __future__ import annotations

import pytest
from gpucluster.backends.local import LocalSpec
from gpucluster.protocol.errors import WorkerNotFound
from gpucluster.protocol.models import ClusterModel, ClusterState, Idle, Wanted, WorkerModel
from gpucluster.protocol.workers import find_worker

UUIDS = ("GPU-0000aaaa-1111-2222", "GPU-0000aaab-1111-2222", "MIG-12345678-9999-0000")


def cluster(*names: str) -> ClusterModel:
    return ClusterModel(
        id="00000001", name="c", backend="local", state=ClusterState.RUNNING, wanted=Wanted(), idle=Idle(),
        python="python", created_at="2026-11-21T08:00:00.000Z", spec=LocalSpec(),
        workers=[WorkerModel(name=name, n_threads=1) for name in names],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "name"), [("7", "7"), (UUIDS[0], UUIDS[0]), ("GPU-0000aaab", UUIDS[1]), ("MIG-1234", UUIDS[2])]
)
def test_a_name_or_the_beginning_of_a_uuid(text, name):
    assert find_worker(cluster("7", "70", *UUIDS), text).name == name


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("GPU-0000aaa", f"has no worker 'GPU-0000aaa'. The names of several begin so: {UUIDS[0]}, {UUIDS[1]}."),
        ("GPU-", "has no worker 'GPU-'. Its workers are: 7, 70, "),
        ("", f"has no worker ''. Its workers are: 7, 70, {UUIDS[0]}, {UUIDS[1]}, {UUIDS[2]} and 1 more."),
        ("71", "has no worker '71'. Did you mean 7?"),
        ("x\n" * 500, "has no worker 'x"),
    ],
)
def test_unknown_worker_lists_the_known_ones(text, sentence):
    with pytest.raises(WorkerNotFound) as refused:
        find_worker(cluster("7", "70", *UUIDS, "last"), text)
    assert sentence in refused.value.message
    assert len(refused.value.message) < 300


def test_cluster_without_workers():
    with pytest.raises(WorkerNotFound, match="It has no workers"):
        find_worker(cluster(), "0")
