"""Lesson 10, on simulated ranks: gradients of all rows on every rank, and sums that travel round a ring."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ....protocol.errors import GPUClusterError
from ...examination import Examination, describe
from ...properties import UNCHANGED, fingerprint
from ...simulations.ranks import MPIRun, NoMPI, mpiexec, run_under_mpi, simulate
from .. import exercise
from ..answers import Floats, number, numbers, several
from .networks import gap, random_network, random_rows, same_shapes, true_gradients

PICKLE_BYTES = 400
"""What a pickle adds to a small array, at most."""


def on_ranks(exam: Examination, function: Callable[..., Any], *arguments: Any, n_ranks: int) -> MPIRun:
    """Run ``function(comm, *arguments)`` as simulated ranks; what goes wrong is a finding."""
    try:
        run = simulate(function, *arguments, n_ranks=n_ranks)
    except GPUClusterError as error:
        exam.require("It runs on several ranks without an error", False, f"{n_ranks} ranks: {str(error)[:300]}")
        raise
    empty = [rank for rank, one in enumerate(run.results) if one is None or one is Ellipsis]
    exam.require("Every rank returns a result", not empty, f"rank {empty[0]} returned None" if empty else "it does")
    return run


def watching(function: Callable[..., Any], place: int) -> Callable[..., Any]:
    """Let a function of a communicator return, beside its result, whether its arguments are as they were."""

    def watched(comm: Any, *arguments: Any) -> Any:
        own = [part[comm.rank] for part in arguments[:place]] + list(arguments[place:])
        before = [fingerprint(one) for one in own]
        result = function(comm, *own)
        return None if result is None or result is Ellipsis else (result, before == [fingerprint(one) for one in own])

    return watched


def sent_bytes(run: MPIRun, rank: int) -> int:
    """Return how many bytes one rank sent, or gave to collective operations."""
    messages = sum(message.bytes for message in run.messages if message.source == rank)
    return messages + sum(size for _, _, who, size in run.collectives if who == rank)


@exercise("10.6", "parallel_gradients")
def check_parallel_gradients(exam: Examination, parallel_gradients: Any) -> None:
    """On every rank: the gradients of all rows, however unequal the shares are; rows do not travel."""
    exam.require("It is a function", callable(parallel_gradients), describe(parallel_gradients))
    sizes = (24, 9, 7, 5)
    for shares in ((40, 40), (70, 11), (300, 5, 45), (12, 0, 30), (25,), (1, 1, 90, 8)):
        layers = random_network(exam.rng, sizes)
        X, wanted = random_rows(exam.rng, sum(shares), sizes)
        edges = np.cumsum(shares)[:-1]
        parts = (np.split(X, edges), np.split(wanted, edges))
        run = on_ranks(exam, watching(parallel_gradients, 2), *parts, layers, n_ranks=len(shares))
        case = f"ranks with {', '.join(map(str, shares))} rows"
        _expect_all_rows(exam, run.results, true_gradients(X, wanted, layers), layers, case)
        n_numbers = sum(array.size for array in layers)
        allowed = 8 * n_numbers * 2 * len(shares) + 40 * PICKLE_BYTES
        most = max(sent_bytes(run, rank) for rank in range(len(shares)))
        if shares[0] >= 300:
            exam.expect("Rows stay where they are: only gradients and single numbers travel", most <= allowed,
                        f"a rank gave {most:,} bytes; its gradients have {8 * n_numbers:,}; {case}")  # fmt: skip
        if not exam.passed:
            return
    _expect_under_mpi(exam, parallel_gradients)


def _expect_all_rows(exam: Examination, results: list[Any], true: Any, layers: list[Floats], case: str) -> None:
    for rank, (result, unchanged) in enumerate(results):
        exam.expect(UNCHANGED, unchanged, "unchanged" if unchanged else f"rank {rank} changed an argument; {case}")
        loss, slopes = several(exam, result, "loss", "slopes")
        loss = number(exam, loss, "The loss")
        slopes = same_shapes(exam, slopes, layers, f"rank {rank}; {case}")
        off = gap(slopes, true[1])
        exam.expect("On every rank, the gradients are those of all rows, to 1e-10", off < 1e-10,
                    f"largest difference {off:.1e} of the largest slope, on rank {rank}; {case}")  # fmt: skip
        exam.expect("On every rank, the loss is that of all rows", abs(loss - true[0]) < 1e-10 * max(true[0], 1e-6),
                    f"{loss:.10g}, expected {true[0]:.10g}, on rank {rank}; {case}")  # fmt: skip


def _expect_under_mpi(exam: Examination, parallel_gradients: Any) -> None:
    starter = mpiexec()
    if starter is None or not exam.passed:
        return
    sizes = (6, 5, 3)
    layers = random_network(exam.rng, sizes)
    X, wanted = random_rows(exam.rng, 31, sizes)

    def called(comm: Any, _rows: Any, X: Any, wanted: Any, layers: Any) -> Any:
        own = slice(0, 20) if comm.rank == 0 else slice(20, None)
        return parallel_gradients(comm, X[own], wanted[own], layers), True

    try:
        run = run_under_mpi(starter, called, list(range(2)), X, wanted, layers, n_ranks=2, plain=True)
    except NoMPI:
        return
    except GPUClusterError as error:
        exam.require("It runs under mpiexec without an error", False, str(error)[:300])
        raise
    _expect_all_rows(exam, run.results, true_gradients(X, wanted, layers), layers, "2 ranks under mpiexec")


@exercise("10.7", "ring_allreduce")
def check_ring(exam: Examination, ring_allreduce: Any) -> None:
    """Every rank has the sum, bit by bit the same; each sent little, and only to its neighbour."""
    exam.require("It is a function", callable(ring_allreduce), describe(ring_allreduce))
    for n_ranks, length in ((4, 8), (2, 7), (3, 3), (5, 23), (1, 6), (4, 2), (6, 120_000), (3, 40_001), (8, 64)):
        arrays = [exam.rng.normal(size=length) for _ in range(n_ranks)]
        run = on_ranks(exam, watching(ring_allreduce, 1), arrays, n_ranks=n_ranks)
        case = f"{n_ranks} ranks, {length:,} numbers"
        true = np.sum(arrays, axis=0)
        for rank, (result, unchanged) in enumerate(run.results):
            found = numbers(exam, result, "The result", shape=(length,))
            off = float(np.abs(found - true).max())
            exam.expect("Every rank gets the sum of all arrays", off < 1e-10 * n_ranks,
                        f"largest difference {off:.1e} on rank {rank}; {case}")  # fmt: skip
            same = np.array_equal(found, run.results[0][0])
            exam.expect("All ranks have the same numbers, bit by bit", same, f"rank {rank} and rank 0; {case}")
            exam.expect(UNCHANGED, unchanged, "unchanged" if unchanged else f"rank {rank} changed its array; {case}")
        _expect_neighbours(exam, run, n_ranks, length, case)
        if not exam.passed:
            return


def _expect_neighbours(exam: Examination, run: MPIRun, n_ranks: int, length: int, case: str) -> None:
    names = sorted({name for name, *_ in run.collectives})
    exam.expect("Only messages from rank to rank are used", not names, f"{', '.join(names) or 'none other'}; {case}")
    steps = {(message.target - message.source) % n_ranks for message in run.messages}
    fits = len(steps) <= 1 and steps <= {1, n_ranks - 1}
    exam.expect("All send the same way round, to the next rank only", fits or n_ranks < 3,
                f"distances {sorted(steps)}; {case}")  # fmt: skip
    counts = [sum(message.source == rank for message in run.messages) for rank in range(n_ranks)]
    exam.expect("Each rank sends 2 (n - 1) messages", set(counts) == {2 * (n_ranks - 1)} or n_ranks == 1,
                f"{counts}; {case}")  # fmt: skip
    most = 2 * (n_ranks - 1) * (8 * -(-length // n_ranks) + PICKLE_BYTES)
    sent = max(sent_bytes(run, rank) for rank in range(n_ranks))
    exam.expect("Each message carries one n-th of the array", sent <= most,
                f"a rank sent {sent:,} bytes, at most {most:,} are needed; {case}")  # fmt: skip
