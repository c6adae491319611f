"""The same program gives the same results on all communicators."""

import queue
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from distributed import Client, LocalCluster
from gpucluster.learn import SerialCommunicator, run_on_ranks
from gpucluster.learn.communicators import combine
from gpucluster.learn.communicators.workers import TreeCommunicator
from gpucluster.learn.errors import InvalidOperator, InvalidParameter, RanksDisagree

from tests.learn.shared import refused
from tests.mpi import mpiexec

from .program import check, collectives


class Threads(TreeCommunicator):
    """Ranks as threads, to test the tree with many of them."""

    def __init__(self, rank: int, boxes: list[list[queue.SimpleQueue[Any]]]) -> None:
        super().__init__(rank, len(boxes))
        self.boxes = boxes

    def _send(self, message: Any, to: int) -> None:
        self.boxes[to][self.rank].put(message)

    def _receive(self, source: int) -> Any:
        return self.boxes[self.rank][source].get(timeout=20)


def in_threads(size: int, function: Any) -> list[Any]:
    """Return the results of all ranks, or their exceptions."""
    boxes: list[list[queue.SimpleQueue[Any]]] = [[queue.SimpleQueue() for _ in range(size)] for _ in range(size)]

    def work(rank: int) -> Any:
        try:
            return function(Threads(rank, boxes))
        except Exception as error:
            return error

    with ThreadPoolExecutor(size) as pool:
        return list(pool.map(work, range(size)))


def own_copies(communicator: Any) -> dict[str, Any]:
    """Replace the check of writable results: threads share the array of a broadcast, processes do not."""
    found = collectives(communicator)
    found["own"] = np.full(2, communicator.rank)
    return found


def test_serial() -> None:
    check([collectives(SerialCommunicator())])


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 13])
def test_tree(size: int) -> None:
    check(in_threads(size, own_copies))


def ranks(shard: Any) -> dict[str, Any]:
    return collectives(shard.communicator)


def test_workers(dask_client: Any, split: Any) -> None:
    check(run_on_ranks(ranks, split(np.zeros((8, 1)), 2)))


@pytest.mark.parametrize(("security", "transport"), [(True, "tls"), (None, "inproc")])
def test_workers_without_plain_sockets(split: Any, security: bool | None, transport: str) -> None:
    local = LocalCluster(
        n_workers=3, threads_per_worker=1, processes=False, security=security, dashboard_address="127.0.0.1:0"
    )
    with local as cluster, Client(cluster):
        assert cluster.scheduler_address.startswith(f"{transport}://")
        check(run_on_ranks(ranks, split(np.zeros((8, 1)), 3)))
        refused(ZeroDivisionError, "rank 1 divided", lambda: run_on_ranks(failing, split(np.zeros((8, 1)), 3)))
        with pytest.raises(RanksDisagree, match="same operations in the same order"):
            run_on_ranks(unequal_later, split(np.zeros((8, 1)), 2))


@pytest.mark.parametrize("size", [1, 3])
@pytest.mark.full
def test_mpi(size: int, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import sys\n"
        f"sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "from program import check, collectives\n"
        "from gpucluster.learn import MPICommunicator\n"
        "communicator = MPICommunicator()\n"
        "gathered = communicator.gather(collectives(communicator))\n"
        "if gathered is not None:\n"
        "    check(gathered)\n"
        "    print('checked', len(gathered))\n"
        "from gpucluster.learn.communicators.mpi import over_mpi\n"
        "for job in range(2500 if communicator.size > 1 else 0):\n"  # MPICH has 2,048 at a time.
        "    over_mpi(communicator, job=str(job)).free()\n"
    )
    done = subprocess.run([*mpiexec(size), sys.executable, program], capture_output=True, text=True, timeout=100)
    assert (done.returncode, done.stdout) == (0, f"checked {size}\n"), done.stderr


@pytest.mark.parametrize(
    ("first", "other", "messages"),
    [
        (lambda ranks: ranks.reduce(1), lambda ranks: ranks.gather("x"),
         ["Rank 0 calls reduce (1), but rank 1 calls gather (1). The numbers count"]),
        (lambda ranks: ranks.allgather(1), lambda ranks: ranks.allreduce(1), ["Rank 0 calls all", "Rank 1 calls all"]),
    ],
)  # fmt: skip
def test_ranks_with_different_operations_raise(first: Any, other: Any, messages: list[str]) -> None:
    found = in_threads(2, lambda communicator: (other if communicator.rank else first)(communicator))
    for error, message in zip(found, messages, strict=False):
        assert isinstance(error, RanksDisagree)
        assert error.message.startswith(message)


def test_types_of_a_notebook(dask_client: Any, split: Any) -> None:
    """They are in no module that a worker could import."""
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(
        "from typing import NamedTuple\n"
        "class Pair(NamedTuple):\n"
        "    count: float\n"
        "    name: str\n"
        "def pairs(shard):\n"
        "    rank = shard.communicator.rank\n"
        "    return shard.communicator.allreduce(Pair(1.0, 'ab'[rank]))\n",
        names,
    )
    found = run_on_ranks(names["pairs"], split(np.zeros((8, 1)), 2))
    assert [tuple(pair) for pair in found] == [(2.0, "ab")] * 2


def failing(shard: Any) -> Any:
    if shard.communicator.rank == 1:
        raise ZeroDivisionError("rank 1 divided")
    return shard.communicator.allreduce(1)


def test_the_error_of_one_rank_is_raised(dask_client: Any, split: Any) -> None:
    refused(ZeroDivisionError, "rank 1 divided", lambda: run_on_ranks(failing, split(np.zeros((8, 1)), 2)))
    check(run_on_ranks(ranks, split(np.zeros((8, 1)), 2)))


def unequal(shard: Any) -> Any:
    return shard.communicator.allreduce(1) if shard.communicator.rank == 0 else None


def unequal_later(shard: Any) -> Any:
    total = shard.communicator.allreduce(1)
    return shard.communicator.allreduce(total) if shard.communicator.rank == 0 else None


@pytest.mark.parametrize(("function", "calls"), [(unequal, 1), (unequal_later, 2)])
@pytest.mark.full
def test_a_rank_that_returns_early_is_an_error(
    dask_client: Any, split: Any, caplog: pytest.LogCaptureFixture, function: Any, calls: int
) -> None:
    message = (
        rf"have returned already \(1\).* by others: rank 0 calls allreduce \({calls}\)\. .*same operations in the same"
    )
    refused(RanksDisagree, message, lambda: run_on_ranks(function, split(np.zeros((8, 1)), 2)))
    assert "A worker was lost" not in caplog.text


def test_values_are_combined_in_the_order_of_the_ranks_for_any_root() -> None:
    for root in range(5):
        found = in_threads(5, lambda c, root=root: c.reduce([c.rank], lambda one, other: one + other, root=root))
        assert found == [list(range(5)) if rank == root else None for rank in range(5)]


@pytest.mark.parametrize("root", [-1, 2])
def test_wrong_roots_are_refused(root: int) -> None:
    for error in in_threads(2, lambda communicator: communicator.broadcast(1, root)):
        assert isinstance(error, InvalidParameter)
        assert error.message == f"root: must be a rank from 0 to 1, not {root}."


class Sums(NamedTuple):
    count: float
    values: np.ndarray


def test_combined_messages():
    one, other = Sums(1.0, np.array([1.0, 5.0])), Sums(2.0, np.array([3.0, 4.0]))
    total = combine("sum", one, other)
    assert isinstance(total, Sums)
    assert total.count == 3.0 and total.values.tolist() == [4.0, 9.0]
    assert combine("max", one, other).values.tolist() == [3.0, 5.0]
    assert combine("min", {"a": 1, "b": (4, 2)}, {"a": 3, "b": (0, 9)}) == {"a": 1, "b": (0, 2)}
    assert [combine("sum", None, 3), combine("max", 3, None), combine("sum", None, None)] == [3, 3, None]
    assert combine(lambda one, other: one + ["then", *other], ["a"], ["b"]) == ["a", "then", "b"], "whole messages"
    with pytest.raises(InvalidOperator, match="'sum', 'min', 'max' or a function"):
        combine("mean", 1, 2)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="zip"):
        combine("sum", (1, 2), (1,))
