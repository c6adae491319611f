"""Dask's keywords and numbers of workers, without a cluster."""

from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from distributed import Security, Worker
from gpucluster.backends.local import LocalSpec
from gpucluster.client.dask_keywords import bounded_workers, read_keywords, wanted_workers
from gpucluster.protocol.errors import InvalidRequest
from gpucluster.protocol.models import WorkerModel
from gpucluster.protocol.spec import parse_spec

from tests.models import cluster_model


def read(backend="local", **keywords):
    return read_keywords({"backend": backend, **keywords})


@pytest.mark.parametrize(
    ("keywords", "fields"),
    [
        ({"n_workers": np.int64(3), "threads_per_worker": np.int32(2)}, {"n_workers": 3, "threads_per_worker": 2}),
        ({"n_workers": 0, "memory_limit": 0}, {"n_workers": 0, "memory_limit": 0}),
        ({"threads_per_worker": None, "local_directory": None, "env": None, "protocol": None}, {}),
        ({"protocol": "tcp://"}, {"protocol": "tcp"}),
        ({"protocol": "tls://", "security": True}, {"protocol": "tls"}),
        ({"host": "tcp://127.0.0.1:0"}, {"protocol": "tcp"}),
        ({"env": {"A": np.int64(1)}}, {"env": {"A": 1}}),
        ({"resources": {"GPU": 2}}, {"resources": {"GPU": 2}}),
        ({"preload": "numpy"}, {"preload": ["numpy"]}),
        ({"preload": Path("setup.py")}, {"preload": [str(Path.cwd() / "setup.py")]}),
        ({"local_directory": Path("scratch")}, {"local_directory": str(Path.cwd() / "scratch")}),
        ({"lifetime": "1 hour", "lifetime_stagger": "90s"}, {"lifetime_seconds": 3600, "lifetime_stagger_seconds": 90}),
        ({"lifetime": timedelta(minutes=2), "lifetime_stagger": 0}, {"lifetime_seconds": 120}),
    ],
)
def test_equivalent_keywords_become_fields(keywords, fields):
    spec, told = read(**keywords)
    assert (spec, told) == ({"backend": "local", **fields}, [])
    parse_spec(spec)


@pytest.mark.parametrize(
    "keywords",
    [
        {"processes": True, "silence_logs": 30, "scheduler_port": 0, "dashboard_address": ":0"},
        {"dashboard_address": None, "worker_dashboard_address": None, "host": "localhost", "interface": "lo"},
        {"ip": "127.0.0.1", "security": None, "death_timeout": "60s", "services": {}, "service_kwargs": None},
        {"host": "[::1]", "worker_class": None, "scheduler_kwargs": {}, "loop": None, "plugins": ()},
        {"security": False, "lifetime_restart": True, "scheduler_sync_interval": 1, "start": None},
    ],
)
def test_keywords_that_hold_anyway_are_accepted(keywords):
    assert read(**keywords) == ({"backend": "local"}, [])


@pytest.mark.parametrize(
    ("keywords", "sentence"),
    [
        ({"processes": False}, "processes=False has no effect: workers are always separate"),
        ({"protocol": "inproc://"}, "protocol='inproc://' has no effect: scheduler and workers always run"),
        ({"scheduler_port": 8786}, "scheduler_port=8786 has no effect: a cluster is found by its name"),
        ({"dashboard_address": ":8787"}, "dashboard_address=':8787' has no effect: the dashboard is private"),
        ({"worker_dashboard_address": ":0"}, "worker_dashboard_address=':0' has no effect: workers have no web pages"),
    ],
)
def test_keywords_without_effect_warn(keywords, sentence):
    spec, told = read(**keywords)
    assert spec == {"backend": "local"}
    assert [line[: len(sentence)] for line in told] == [sentence]


@pytest.mark.parametrize(
    ("keywords", "sentence"),
    [
        ({"host": "0.0.0.0"}, "host: a cluster can be reached from this machine only, not at '0.0.0.0'"),  # noqa: S104
        ({"ip": "node7"}, "ip: a cluster can be reached from this machine only"),
        ({"interface": "eth0"}, "interface: this kind of cluster does not use the network"),
        ({"security": Security()}, "security: each cluster creates its own credentials"),
        ({"security": True, "protocol": "tcp"}, "security: anyone on this machine can connect with protocol 'tcp'"),
        ({"security": True, "host": "tcp://127.0.0.1"}, "security: anyone on this machine can connect with protocol"),
        ({"worker_class": Worker}, "worker_class: scheduler and workers are Dask's own classes here"),
        ({"plugins": [1]}, "plugins: register them on the cluster: client.register_plugin"),
        ({"preload_argv": ["--fast"]}, "preload_argv: preloaded modules get no arguments here"),
        ({"lifetime": "a while"}, "lifetime: 'a while' is not a duration"),
        ({"death_timeout": -1}, "death_timeout: must be a finite, non-negative duration"),
    ],
)
def test_unsupported_keywords_name_the_replacement(keywords, sentence):
    with pytest.raises(InvalidRequest) as refusal:
        read(**keywords)
    assert refusal.value.message.startswith(sentence)


def test_gpu_keywords():
    spec, told = read("cuda", CUDA_VISIBLE_DEVICES="0,1", pre_import="cudf,cupy", jit_unspill=False, protocol="ucx")
    assert spec == {"backend": "cuda", "devices": [0, 1], "pre_import": ["cudf", "cupy"], "protocol": "ucx"}
    assert not told
    assert read("cuda", CUDA_VISIBLE_DEVICES=[np.int64(1)], interface="ib0", protocol="ucx://")[0] == {
        "backend": "cuda", "devices": [1], "interface": "ib0", "protocol": "ucx",
    }  # fmt: skip
    with pytest.raises(InvalidRequest, match="^jit_unspill: use enable_cudf_spill"):
        read("cuda", jit_unspill=True)


def test_unknown_kind_gets_the_keywords_unchanged():
    assert read("nonsense", workers=2) == ({"backend": "nonsense", "workers": 2}, [])
    assert read("auto", protocol="tls://") == ({"backend": "auto", "protocol": "tls"}, [])


GIB = 2**30


def model(*, workers=2, limit=2 * GIB, threads=2, **spec):
    made = [WorkerModel(name=str(n), n_threads=threads, memory_limit_bytes=limit) for n in range(workers)]
    return cluster_model(workers=made, n_workers=workers, spec=LocalSpec(threads_per_worker=threads, **spec))


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
def test_worker_count_for_a_request(asked, count):
    assert wanted_workers(model(), **asked) == count


def test_request_without_workers_sets_their_size():
    assert wanted_workers(model(workers=0, memory_limit="1 GiB"), memory="4 GiB") == 4
    assert wanted_workers(model(workers=0, threads=4), cores=8) == 2


@pytest.mark.parametrize(
    ("told", "asked", "sentence"),
    [
        ({}, {}, "n: pass a number of workers: scale(4), scale(memory='8 GiB') or scale(cores=8)."),
        ({"limit": None}, {"memory": "1 GiB"}, "memory: this cluster's workers have no memory limit"),
        ({"workers": 0}, {"memory": "1 GiB"}, "memory: the memory of a worker is unknown until one runs"),
        ({}, {"memory": "lots"}, "memory: 'lots' is not a memory size"),
        ({}, {"memory": 0.5}, "memory: must be a size such as '8 GiB', not a percentage."),
        ({}, {"cores": "two"}, "cores: must be a number of at least 0."),
        ({}, {"cores": float("nan")}, "cores: must be a number of at least 0."),
    ],
)
def test_unclear_request_is_refused(told, asked, sentence):
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
def test_maximum_below_one_worker_is_refused(asked, sentence):
    with pytest.raises(InvalidRequest) as refusal:
        bounded_workers(model(), 0, None, **asked)
    assert refusal.value.message == sentence
