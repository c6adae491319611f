"""One function as several ranks: under MPI, on the workers, and what is said when a rank fails."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
from gpucluster.learn.communicators import SerialCommunicator
from gpucluster.lessons.simulations import ranks
from gpucluster.lessons.simulations.ranks.outcome import CountingCommunicator, message_bytes
from gpucluster.lessons.simulations.ranks.threads import run_in_threads

from tests.mpi import needs_mpi

pytestmark = pytest.mark.processes
POINTS = np.arange(22.0).reshape(11, 2)


# As in a notebook, functions are made where they are used, so that they travel by value.
def make(text: str) -> Any:
    namespace: dict[str, Any] = {"__name__": "__main__", "np": np}
    exec(text, namespace)
    return namespace["f"]


def total(scale: str = "1") -> Any:
    return make(
        "def f(comm, points, factor):\n"
        f"    return comm.allreduce(points.sum(axis=0) * factor * {scale}), len(points), comm.rank, comm.size\n"
    )


def alive() -> list[int]:
    return [child.pid for child in psutil.Process().children(recursive=True)
            if "gpucluster.lessons.simulations.ranks.program" in " ".join(child.cmdline())]  # fmt: skip


def expect_two(run: Any) -> None:
    for rank, (found, _, number, size) in enumerate(run.results):
        np.testing.assert_allclose(found, POINTS.sum(axis=0) * 3)
        assert (number, size) == (rank, 2)
    assert sum(result[1] for result in run.results) == 11
    assert run.reduced_bytes == [16, 16]
    assert run.calls == [1, 1]


@needs_mpi
def test_ranks_are_processes_of_mpi() -> None:
    run = ranks.run_ranks(total(), POINTS, 3)
    expect_two(run)
    assert [result[1] for result in run.results] == [6, 5]
    assert "MPI" in repr(run) and "16 bytes" in repr(run)


def test_ranks_are_workers_without_mpi(client: Any, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.setattr(ranks, "mpiexec", lambda: None)
    expect_two(ranks.run_ranks(total(), POINTS, 3, client=client))
    assert "MPI is not installed here" in capsys.readouterr().out
    expect_two(ranks.run_on_workers(total(), POINTS, 3, client=client, sizes=[2, 9]))


def test_ranks_are_workers_where_mpiexec_does_not_work(
    client: Any, monkeypatch: Any, capsys: Any, tmp_path: Path
) -> None:
    broken = tmp_path / "mpiexec"
    broken.write_text("#!/bin/sh\necho no such host >&2\nexit 3\n", encoding="utf-8")
    broken.chmod(0o755)
    monkeypatch.setattr(ranks, "mpiexec", lambda: str(broken))
    expect_two(ranks.run_ranks(total(), POINTS, 3, client=client))
    assert "no such host" in capsys.readouterr().out
    with pytest.raises(ranks.NoMPI, match="did not start 2 ranks"):
        ranks.run_under_mpi(str(broken), total(), POINTS, 3, n_ranks=2)


def test_an_error_of_a_rank_is_a_sentence(client: Any) -> None:
    fails = make(
        "def f(comm, points):\n    if comm.rank == 1:\n        raise ValueError('oops')\n    return comm.allreduce(1)"
    )
    with pytest.raises(ranks.RankFailed, match="Rank 1 ended with an error: ValueError: oops"):
        ranks.run_on_workers(fails, POINTS, client=client)
    if ranks.mpiexec():
        with pytest.raises(ranks.RankFailed, match="Rank 1 ended with an error: ValueError: oops"):
            ranks.run_ranks(fails, POINTS)
        assert alive() == []


@needs_mpi
@pytest.mark.full
def test_a_rank_that_waits_for_ever_is_ended(monkeypatch: Any) -> None:
    monkeypatch.setattr(ranks.mpi, "PATIENCE_SECONDS", 1)
    waits = make("def f(comm, points):\n    for _ in range(1 + comm.rank):\n        comm.allreduce(1.0)\n    return 0")
    with pytest.raises(ranks.RankFailed, match="Rank 0 has ended, the others still wait"):
        ranks.run_ranks(waits, POINTS)
    assert alive() == []
    monkeypatch.setattr(ranks.mpi, "LONGEST_SECONDS", 3)
    with pytest.raises(ranks.RankFailed, match="did not end within 3 s"):
        ranks.run_ranks(make("def f(comm, points):\n    while True:\n        comm.allreduce(1.0)"), POINTS)
    assert alive() == []


def test_what_a_rank_gives_is_counted() -> None:
    comm = CountingCommunicator(SerialCommunicator())
    assert comm.allreduce(np.ones(4)).tolist() == [1] * 4
    assert (comm.reduced_bytes, comm.all_bytes, comm.calls) == (32, 32, 1)
    comm.allgather(np.ones((2, 2)))
    comm.broadcast(1.5)
    assert (comm.reduced_bytes, comm.calls) == (32, 4)
    assert comm.all_bytes > 32 + 32
    assert message_bytes((np.ones(2), {"a": 1.0}, None)) == 24
    assert os.environ.get("HYDRA_LAUNCHER") is None


def test_threads_are_ranks_that_share_nothing() -> None:
    parts = [np.ones((rows, 2)) for rows in (3, 0, 4)]
    f = make(
        "def f(comm, points, start):\n"
        "    total = comm.allreduce(points.sum(axis=0) + start)\n"
        "    start += 1 + comm.rank\n"
        "    total += comm.rank\n"
        "    return total.tolist(), comm.gather(comm.rank), start.tolist()\n"
    )
    run = run_in_threads(f, parts, np.zeros(2))
    assert run.results == [
        ([7.0, 7.0], [0, 1, 2], [1.0, 1.0]),
        ([8.0, 8.0], None, [2.0, 2.0]),
        ([9.0, 9.0], None, [3.0, 3.0]),
    ]
    assert [len(part) for part in parts] == [3, 0, 4]


@pytest.mark.parametrize(
    ("last", "sentence"),
    [
        ("return comm.rank and comm.allreduce(1)", "Rank 1 calls allreduce once more, but another rank has ended"),
        ("return comm.allreduce(1 / (1 - comm.rank))", "Rank 1 ended with an error: ZeroDivisionError"),
    ],
)
def test_threads_say_which_rank_was_left_alone_or_failed(last: str, sentence: str) -> None:
    f = make(f"def f(comm, points):\n    comm.allreduce(len(points))\n    {last}\n")
    with pytest.raises(ranks.RankFailed, match=sentence):
        run_in_threads(f, [np.ones((1, 2))] * 2)
