"""Types of the synchronous and the asynchronous form for users."""

import inspect
from pathlib import Path

import pytest
from gpucluster import AsyncCluster, Cluster
from gpucluster.client.control import AsyncControl, Control
from gpucluster.client.sync_methods import SyncAndAsync, VerbMethod
from mypy import api

ROOT = Path(__file__).parents[2]

# A line with "type: ignore" must be refused: mypy complains of one that is not needed.
PROGRAM = """
from pathlib import Path
from typing import assert_type

import gpucluster
from gpucluster.client.verbs import Adaptive, AsyncAdaptive
from gpucluster.client.control import Control
from gpucluster.client.notebook_client import Client
from gpucluster.client.recorder import AsyncRecorder, Recorder
from gpucluster.client.handle import WorkerView
from gpucluster.protocol.models import ClusterModel
from gpucluster.protocol.recordings import RecordingWritten
from gpucluster.protocol.telemetry import TelemetrySample


def synchronous() -> None:
    assert_type(gpucluster.connect(), gpucluster.Cluster)
    with gpucluster.create("local", n_workers=2) as cluster:
        assert_type(cluster, gpucluster.Cluster)
        cluster.scale(4)
        cluster.scale(n=4, wait=False, timeout=5)
        cluster.scale("4")  # type: ignore[arg-type]
        cluster.scale(memory="8 GiB")
        cluster.scale(cores=4)
        cluster.adapt(1, 4)
        cluster.adapt(minimum=1)
        cluster.adapt(maximum=4)
        cluster.adapt(most=4)  # type: ignore[call-arg]
        assert_type(cluster.adapt(interval="500ms"), Adaptive)
        assert_type(cluster.workers[0], WorkerView)
        cluster.wait_for_workers(2, timeout="10s")
        assert_type(cluster.telemetry(), TelemetrySample)
        assert_type(cluster.logs(lines=3), list[str])
        assert_type(cluster.get_client(), Client)
        with cluster.recording(Path("a.jsonl")) as recorder:
            assert_type(recorder, Recorder)
        assert_type(cluster.record("b").stop(), RecordingWritten)
        cluster.gauges().close()


async def asynchronous() -> None:
    assert_type(gpucluster.connect(asynchronous=True), gpucluster.AsyncCluster)
    cluster = await gpucluster.create(asynchronous=True)
    assert_type(cluster, gpucluster.AsyncCluster)
    await cluster.scale(n=4)
    cluster.scale(n=4)  # type: ignore[unused-coroutine]
    assert_type(await cluster.adapt(maximum=4), AsyncAdaptive)
    assert_type(await cluster.telemetry(), TelemetrySample)
    assert_type(await cluster.logs(), list[str])
    async with cluster.recording("a.jsonl") as recorder:
        assert_type(recorder, AsyncRecorder)
    assert_type(await (await cluster.record("b")).stop(), RecordingWritten)
    async with gpucluster.create("local", asynchronous=True) as block:
        assert_type(block, gpucluster.AsyncCluster)
        await block.stop()


def control() -> None:
    assert_type(Control().list(), list[ClusterModel])
    assert_type(Control().stop("a", wait=False), ClusterModel)
    Control().stop("a", patience=3)  # type: ignore[call-arg]
    assert_type(Control().remove("a"), None)
    assert_type(Control().retire("a", "0"), ClusterModel)
    assert_type(Control().logs("a").lines, list[str])
"""


@pytest.mark.full
@pytest.mark.timeout(600)  # Seconds with the cache that `make types` leaves, minutes without one.
def test_both_forms_have_their_types(tmp_path, monkeypatch):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    monkeypatch.chdir(ROOT)
    said, complaints, code = api.run([str(program)])
    assert (code, complaints) == (0, ""), said


def test_all_forms_have_the_documentation_and_the_parameters_of_the_coroutine():
    for waits, other in ((Cluster, AsyncCluster), (Control, AsyncControl)):
        verbs = {
            name
            for kind in other.__mro__
            for name, verb in vars(kind).items()
            if isinstance(verb, SyncAndAsync | VerbMethod)
        }
        assert verbs >= {"scale", "retire", "logs"}
        for name in verbs:
            ours, theirs = getattr(waits, name), getattr(other, name)
            assert not inspect.iscoroutinefunction(ours)
            assert ours.__qualname__ == f"{waits.__name__}.{name}"
            assert (ours.__doc__, inspect.signature(ours)) == (theirs.__doc__, inspect.signature(theirs))
    assert list(inspect.signature(Control.retire).parameters) == ["self", "id", "worker", "wait", "timeout"]
    assert list(inspect.signature(AsyncCluster.retire).parameters) == ["self", "worker", "wait", "timeout"]
