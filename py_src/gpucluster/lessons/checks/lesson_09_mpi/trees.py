"""Lesson 09, everything to one place, and a tree instead: on ranks by messages, on a cluster by futures."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....protocol.plain_text import counted
from ...examination import Examination, Halt, describe
from ...probes.transfers import Traffic
from .. import exercise
from .ranks import levels, on_ranks, under_mpi

ORDER = "The result is in the order of the ranks"
PAYLOAD = 25_000


def chained(one: Any, other: Any) -> Any:
    """Merge two values that remember their order, and how many merges lie on top of each other."""
    return one[0] + other[0], max(one[1], other[1]) + 1


@exercise("09.3", "tree_reduce")
def check_tree_of_ranks(exam: Examination, tree_reduce: Any) -> None:
    """Rank 0 gets all values in their order, in few rounds; each value travels once."""
    for n_ranks in (1, 2, 3, 4, 5, 7, 8, 13, 16):
        _expect_tree(exam, tree_reduce, n_ranks)
        if not exam.passed:
            return
    letters = _letters(exam.rng, 3)
    found = under_mpi(
        exam, lambda comm, all_, merge: tree_reduce(comm, all_[comm.rank], merge), letters, chained, n_ranks=3
    )
    if found is not None:
        _expect_root(exam, found, letters, "3 ranks under mpiexec")


def _letters(rng: np.random.Generator, n: int) -> list[tuple[str, int]]:
    return [("".join(chr(97 + int(code)) for code in rng.integers(0, 26, 3)), 0) for _ in range(n)]


def _expect_tree(exam: Examination, tree_reduce: Any, n_ranks: int) -> None:
    letters = _letters(exam.rng, n_ranks)
    run = on_ranks(exam, lambda comm, all_: tree_reduce(comm, all_[comm.rank], chained), letters, n_ranks=n_ranks)
    case = f"{n_ranks} ranks"
    exam.expect("It uses only send and recv", not run.collectives,
                f"{', '.join(sorted({name for name, *_ in run.collectives})) or 'nothing else'}; {case}")  # fmt: skip
    depth = _expect_root(exam, run.results, letters, case)
    to_root = sum(message.target == 0 for message in run.messages)
    most = levels(n_ranks)
    exam.expect("Rank 0 receives at most log2(n) messages, rounded up", to_root <= most,
                f"{counted(to_root, 'message')}, allowed {most}; {case}")  # fmt: skip
    exam.expect("There are n - 1 messages in all: each rank but 0 sends once", len(run.messages) == n_ranks - 1,
                f"{counted(len(run.messages), 'message')}; {case}")  # fmt: skip
    exam.expect("At most log2(n) merges, rounded up, wait for each other", depth <= most,
                f"{counted(depth, 'merge')} one after the other, allowed {most}; {case}")  # fmt: skip


def _expect_root(exam: Examination, found: list[Any], letters: list[tuple[str, int]], case: str) -> int:
    pair = isinstance(found[0], (tuple, list)) and len(found[0]) == 2
    exam.require("Rank 0 returns the merged value", pair, f"{describe(found[0])}; {case}")
    others = [rank for rank, one in enumerate(found) if rank and one is not None]
    exam.expect("The other ranks return None", not others, f"ranks with a result: {others or 'none'}; {case}")
    text, depth = found[0]
    true = "".join(letter for letter, _ in letters)
    same = sorted(str(text)) == sorted(true)
    exam.expect("Each rank's value is in the result once", same, f"{text!r} from {true!r}; {case}")
    exam.expect(ORDER, text == true, f"{text!r}, expected {true!r}; {case}")
    return int(depth)


@exercise("09.4", "tree_of_futures")
def check_tree_of_futures(exam: Examination, tree_of_futures: Any) -> None:
    """One future of the merged value, made on the workers, in few rounds."""
    from distributed import Future, wait

    client = exam.client
    for n in (1, 2, 3, 6, 8, 11):
        letters = _letters(exam.rng, n)
        workers = list(client.scheduler_info()["workers"])
        values = [
            client.submit(_heavy, letter, number, workers=workers[number % len(workers)], pure=False)
            for number, (letter, _) in enumerate(letters)
        ]
        wait(values)
        with Traffic(client) as traffic:
            future = exam.call(tree_of_futures, client, list(values), _merge_heavy)
            exam.require("It returns one future", isinstance(future, Future), f"{describe(future)}; {n} futures")
            wait(future)
        if future.status == "error":
            exam.require("The merges run without an error", False, f"{future.exception()!r}; {n} futures")
            raise Halt
        found = future.result()
        right = isinstance(found, tuple) and len(found) == 3
        exam.require("The future's value is the merged one", right, f"{describe(found)}; {n} futures")
        true = "".join(letter for letter, _ in letters)
        exam.expect("Each value is in the result once, in order", found[0] == true and found[2][0] == sum(range(n)),
                    f"{found[0]!r}, expected {true!r}; {n} futures")  # fmt: skip
        exam.expect("At most log2(n) merges, rounded up, wait for each other", found[1] <= levels(n),
                    f"{found[1]} one after the other, allowed {levels(n)}; {n} futures")  # fmt: skip
        exam.expect("The values are merged on the workers: none comes to the notebook", traffic.bytes < 8 * PAYLOAD,
                    f"{traffic.bytes:,} bytes came; one value has {8 * PAYLOAD:,}")  # fmt: skip
        if not exam.passed:
            return


def _heavy(letter: str, number: int) -> Any:
    return letter, 0, np.full(PAYLOAD, float(number))


def _merge_heavy(one: Any, other: Any) -> Any:
    return one[0] + other[0], max(one[1], other[1]) + 1, one[2] + other[2]
