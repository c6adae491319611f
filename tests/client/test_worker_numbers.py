"""How many workers are meant, without a cluster."""

from __future__ import annotations

import numpy as np
import pytest
from gpucluster.backends.local import LocalSpec
from gpucluster.client.worker_numbers import bounded_workers, wanted_workers
from gpucluster.protocol.errors import InvalidRequest
from gpucluster.protocol.models import ClusterModel, ClusterState, Idle, Wanted, WorkerModel

GIB = 2**30


def model(*, workers=2, limit=2 * GIB, threads=2, **spec):
    made = [WorkerModel(name=str(n), n_threads=threads, memory_limit_bytes=limit) for n in range(workers)]
    return ClusterModel(
        id="c34cc47b", name="lab", backend="local", state=ClusterState.RUNNING, wanted=Wanted(), idle=Idle(),
        python="python", created_at="2026-01-01T00:00:00Z", workers=made, n_workers=workers,
        spec=LocalSpec(threads_per_worker=threads, **spec),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("asked", "count"),
    [
        ({"n": np.int64(3)}, 3),
        ({"n": 4.0}, 4),
        ({"n": 0}, 0),
        ({"memory": "8 GiB"}, 4),
        ({"memory": 7 * GIB}, 4),
        ({"cores": 3}, 2),
        ({"cores": np.float64(8)}, 4),
        ({"n": 1, "memory": "4 GiB", "cores": 6}, 3),
        ({"n": 9, "memory": "4 GiB"}, 9),
    ],
)
def test_as_many_as_are_needed(asked, count):
    assert wanted_workers(model(), **asked) == count


def test_without_workers_the_request_says_what_one_has():
    assert wanted_workers(model(workers=0, memory_limit="1 GiB"), memory="4 GiB") == 4
    assert wanted_workers(model(workers=0, threads=4), cores=8) == 2


@pytest.mark.parametrize(
    ("told", "asked", "sentence"),
    [
        ({}, {}, "n: say how many workers: scale(4), scale(memory='8 GiB') or scale(cores=8)."),
        ({"limit": None}, {"memory": "1 GiB"}, "memory: this cluster's workers have no memory limit"),
        ({"workers": 0}, {"memory": "1 GiB"}, "memory: the memory of a worker is not known until one runs"),
        ({}, {"memory": "lots"}, "memory: 'lots' is not a memory size"),
        ({}, {"memory": 0.5}, "memory: must be a size such as '8 GiB', not a share."),
        ({}, {"cores": "two"}, "cores: must be a number of at least 0."),
        ({}, {"cores": float("nan")}, "cores: must be a number of at least 0."),
    ],
)
def test_what_cannot_be_told_is_refused(told, asked, sentence):
    with pytest.raises(InvalidRequest) as refusal:
        wanted_workers(model(**told), **asked)
    assert refusal.value.message.startswith(sentence)


def test_bounds():
    assert bounded_workers(model(), None, None) == (0, None)
    assert bounded_workers(model(), np.int64(1), float("inf")) == (1, None)
    assert bounded_workers(model(), 0, None, minimum_cores=3, maximum_cores=9) == (2, 4)
    assert bounded_workers(model(), 1, 8, minimum_memory="5 GiB", maximum_memory="9 GiB") == (3, 4)


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"maximum_memory": "1 GiB"}, "maximum_memory: is less than one worker needs: one worker has 2 GiB."),
        ({"maximum_cores": 1}, "maximum_cores: is less than one worker needs: one worker has 2 cores."),
    ],
)
def test_a_maximum_below_one_worker_is_refused_by_its_name(asked, sentence):
    with pytest.raises(InvalidRequest) as refusal:
        bounded_workers(model(), 0, None, **asked)
    assert refusal.value.message == sentence
