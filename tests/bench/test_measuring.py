"""Short measurements on a cluster."""

import json
import re
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from gpucluster.bench import bench, catalogue, load
from gpucluster.bench import commands as benchmark
from gpucluster.bench.errors import NothingToMeasure
from gpucluster.bench.report import report_html
from gpucluster.bench.target import existing
from gpucluster.bench.text import result_text
from gpucluster.cli.commands import MAGIC, SHELL
from gpucluster.cli.verbs import parser_for
from gpucluster.protocol.errors import GPUClusterError, InvalidRequest, InvalidState

MPI = {"mpi-allreduce-latency", "mpi-allreduce-bandwidth", "mpi-kmeans"}


@pytest.fixture(scope="module")
def everything(target):
    """The result of all workloads on two workers, and the progress lines."""
    lines: list[str] = []
    return bench(target, size="tiny", repeats=2, say=lines.append), lines


@pytest.mark.full
def test_every_workload_is_measured(everything):
    result, lines = everything
    assert [one.why for one in result.left_out] == []
    assert {one.workload for one in result.measurements} == set(catalogue.WORKLOADS) - MPI
    for one in result.measurements:
        assert len(one.seconds) == 2 and min(one.seconds) > 0
        assert (one.n_workers, one.n_blocks, one.size) == (2, 4, "tiny")
    assert "run 2 of 2" in lines[-2] and "100%" in lines[-1]


@pytest.mark.full
def test_the_cluster_and_the_machine_are_recorded(everything):
    cluster, result = everything[0].cluster, everything[0]
    assert (cluster.protocol, cluster.backend, cluster.n_workers) == ("gpucluster+unix", "local", [2])
    assert cluster.memory_limit_bytes == 512 * 2**20
    assert [(host.count, host.n_workers, host.gpus) for host in result.hosts] == [(1, 2, [])]
    assert {"python", "gpucluster", "distributed", "numpy", "scikit-learn"} <= set(result.versions)
    assert result.settings["OMP_NUM_THREADS"] == "1"


def test_the_page_is_complete_and_loads_nothing(everything):
    result, _ = everything
    page = report_html(result)
    for one in result.measurements:
        assert one.workload in page
        assert one.workload in result_text(result)
    assert "embed_items" in page
    assert not re.search(r"<(script|link|img)[^>]*(src|href)=", page)


def test_several_numbers_of_workers(target, shared_cluster, shared_site):
    with existing(shared_cluster.id, scales=True) as found:
        result = bench(found, size="tiny", repeats=4, only=["transpose-sum", "allreduce-latency"], workers=[2, 1])
    assert [(one.workload, one.n_workers) for one in result.measurements] == [
        ("transpose-sum", 1), ("transpose-sum", 2), ("allreduce-latency", 2),
    ]  # fmt: skip
    first, second = result.measurements[:2]
    assert (first.check, first.n_blocks) == (pytest.approx(second.check), second.n_blocks)
    assert [(one.workload, one.n_workers, one.failed) for one in result.left_out] == [("allreduce-latency", 1, False)]
    shared_site.wait_for(shared_cluster.id, lambda model: model.n_workers == 2)
    page = report_html(result)
    assert "Speed-up over 1 worker" in page and "Efficiency" in page
    assert re.search(r"transpose-sum .* 2 .* \d+\.\d\d \(\d+\.\d\d to \d+\.\d\d\)", result_text(result))


@pytest.mark.full
def test_failing_workload_does_not_stop_others(target, monkeypatch):
    broken = replace(catalogue.WORKLOADS["svd"], run=lambda data: 1 / 0)
    monkeypatch.setitem(catalogue.WORKLOADS, "svd", broken)
    result = bench(target, size="tiny", repeats=1, only=["svd", "frame-sum"])
    assert [one.workload for one in result.measurements] == ["frame-sum"]
    assert [(one.workload, one.failed, one.why) for one in result.left_out] == [
        ("svd", True, "ZeroDivisionError: division by zero")
    ]
    with pytest.raises(NothingToMeasure, match="Nothing could be measured: svd: ZeroDivisionError"):
        bench(target, size="tiny", repeats=1, only=["svd"])


def test_seconds_choose_the_size(target):
    started = time.monotonic()
    result = bench(target, seconds=4, repeats=2, only=["transpose-sum", "frame-sum"])
    assert time.monotonic() - started < 60
    assert {one.size for one in result.measurements} <= {"tiny", "small", "medium"}


def test_impossible_requests_are_refused(target):
    for name in sorted(MPI):
        with pytest.raises(NothingToMeasure, match="not part of the same MPI program"):
            bench(target, only=[name])
    with pytest.raises(InvalidRequest, match="not both"):
        bench(target, size="tiny", seconds=5)
    with pytest.raises(InvalidRequest, match="size: must be one of tiny"):
        bench(target, size="huge")


@pytest.mark.full
def test_the_command_line_measures_writes_and_compares(shared_cluster, tmp_path):
    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "gpucluster.cli", "bench", *words], capture_output=True, text=True, timeout=120,
            cwd=tmp_path,
        )  # fmt: skip

    done = run("shared", "--only", "frame-sum,allreduce-latency", "--size", "tiny", "--repeats", "4", "--output", "a")
    assert done.returncode == 0, done.stderr
    assert done.stderr == "" and "frame-sum" in done.stdout
    result = load(tmp_path / "a.json")
    assert [one.workload for one in result.measurements] == ["frame-sum", "allreduce-latency"]
    assert "<h1>Benchmark of shared</h1>" in (tmp_path / "a.html").read_text(encoding="utf-8")
    done = run("compare", "a.json", "a.json", "--json")
    answer = json.loads(done.stdout)
    assert [pair["ratio"] for pair in answer["pairs"]] == [1.0, 1.0]
    assert [one["name"] for one in json.loads(run("--list", "--only", "svd", "--json").stdout)] == ["svd"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--only cats", "--only: unknown workload 'cats'"),
        ("--only kmean", r"Did you mean 'kmeans'\?"),
        ("--only ,", "--only: name at least one workload"),
        ("--size huge", "--size: must be one of tiny, small, medium, large, not 'huge'"),
        ("--size small --seconds 20", "Pass --size or --seconds, not both"),
        ("--seconds 1", "--seconds: must be between 10 and 86400, not 1"),
        ("--workers 1,x", "--workers: must be a whole number, not 'x'"),
        ("--workers 0", "--workers: must be between 1 and 256, not 0"),
        ("--repeats 0", "--repeats: must be between 1 and 100"),
        ("--output /nowhere/x", "--output: directory /nowhere does not exist"),
        ("--output x.html", "--output: must be a JSON file"),
        ("some --backend local", "--backend is for a new cluster, but 'some' already exists"),
        ("some --scheduler x", "Pass NAME or --scheduler, not both"),
        ("--scheduler tcp://x --protocol tcp", "--protocol is for a new cluster"),
        ("--scheduler nowhere", "neither an address such as tcp://"),
        (f"--scheduler {__file__}", "nor a scheduler file"),
        ("--backend local --protocol ucx", "--protocol: must be one of 'unix', 'tls' or 'tcp', not 'ucx'"),
        ("one two", "Unexpected 'two': one cluster is measured at a time"),
        ("--transports tpc", "unknown transport 'tpc'. Did you mean 'tcp'"),
        ("--transports ,", "name at least one of unix, tls, tcp, mpi, ucx"),
        ("--transports tcp --only svd", "--only cannot be combined with --transports"),
        ("mine --transports tcp", "omit 'mine'"),
        ("compare", "Pass two result files"),
        ("compare a b c", "Pass two result files"),
        ("compare a b --size small", "--size cannot be used with 'bench compare'"),
        ("compare nothing.json nothing.json", "nothing.json cannot be read"),
        ("no-such-cluster", "Cluster 'no-such-cluster' not found"),
    ],
)
@pytest.mark.parametrize("face", [SHELL, MAGIC])
def test_wrong_arguments(site, tmp_path, monkeypatch, words, sentence, face):
    monkeypatch.chdir(tmp_path)
    found = parser_for("bench", face).read(words.split())
    with pytest.raises(GPUClusterError, match=sentence):
        benchmark.bench(found, lambda text: None)
    assert list(tmp_path.iterdir()) == [] and site.control.list() == []


@pytest.mark.full
def test_a_temporary_cluster_is_stopped(site, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = "--backend local --memory-limit 300MiB --protocol tcp --workers 1 --only frame-sum --size tiny --repeats 1"
    answer = benchmark.bench(parser_for("bench", SHELL).read(words.split()), lambda text: None)
    [model] = site.control.list()
    assert model.state.value == "stopped"
    assert answer.data.cluster.protocol == "tcp" and answer.code == 0
    written = [Path(note.removeprefix("Written: ")) for note in answer.notes]
    assert sorted(path.suffix for path in written) == [".html", ".json"]
    assert all(path.is_file() for path in written)

    words = "--backend local --memory-limit 300MiB --workers 1 --only allreduce-latency"
    with pytest.raises(NothingToMeasure, match="allreduce-latency: it needs at least 2 workers"):
        benchmark.bench(parser_for("bench", SHELL).read(words.split()), lambda text: None)
    assert {model.state.value for model in site.control.list()} == {"stopped"}


def test_an_adaptive_cluster_is_refused(shared_cluster, shared_site):
    shared_site.control.patch(shared_cluster.id, {"adapt": {"minimum": 2, "maximum": 2}})
    with pytest.raises(InvalidState, match="scales adaptively"), existing("shared", scales=True):
        raise AssertionError("entered")
    shared_site.control.patch(shared_cluster.id, {"n_workers": 2})
    shared_site.control.wait(shared_cluster.id)
