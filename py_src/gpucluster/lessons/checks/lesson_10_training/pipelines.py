"""Lesson 10, a network in two pieces: micro-batches, idle time, and pipelines side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...examination import Examination, describe
from ...properties import UNCHANGED
from ...simulations.ranks import MPIRun
from .. import exercise
from ..answers import Floats, number
from .networks import gap, random_network, random_rows, same_shapes, true_gradients
from .ranks import PICKLE_BYTES, on_ranks, sent_bytes, watching

Cut = tuple[tuple[int, ...], int]


def shared_out(X: Floats, wanted: Floats, layers: list[Floats], cut: int, shares: Sequence[int]) -> Any:
    """Return for each rank its rows, its wanted outputs and its layers: two ranks for each share of the rows."""
    edges = np.cumsum(shares)[:-1]
    rows: list[Floats | None] = []
    outputs: list[Floats | None] = []
    for one, other in zip(np.split(X, edges), np.split(wanted, edges), strict=True):
        rows += [one, None]
        outputs += [None, other]
    return rows, outputs, [layers[: 2 * cut], layers[2 * cut :]] * len(shares)


@exercise("10.9", "two_stages")
def check_two_stages(exam: Examination, two_stages: Any) -> None:
    """The gradients are those of the whole network and batch; what travels are micro-batches."""
    exam.require("It is a function", callable(two_stages), describe(two_stages))
    cases: list[tuple[Cut, int, int]] = [
        (((6, 5, 4, 3), 1), 20, 4), (((6, 5, 4, 3), 2), 17, 5), (((4, 9, 3), 1), 8, 1), (((3, 8, 7, 6, 4), 3), 9, 9),
        # An array of which a quarter has more than 64 KiB: its sender waits for the receiver.
        (((5, 40, 3), 1), 1200, 4),
    ]  # fmt: skip
    for (sizes, cut), n_rows, n_micro in cases:
        layers = random_network(exam.rng, sizes)
        X, wanted = random_rows(exam.rng, n_rows, sizes)
        given = shared_out(X, wanted, layers, cut, [n_rows])
        run = on_ranks(exam, watching(two_stages, 3), *given, n_micro, n_ranks=2)
        case = f"sizes {sizes}, cut after layer {cut}, {n_rows} rows in {n_micro} micro-batches"
        _expect_slopes(exam, run, true_gradients(X, wanted, layers)[1], cut, case)
        for source in (0, 1):
            count = sum(message.source == source for message in run.messages)
            exam.expect("Each micro-batch is one message there, and one back", count == n_micro,
                        f"{count} messages from rank {source}; {case}")  # fmt: skip
            most = 8 * n_rows * sizes[cut] + (n_micro + 1) * PICKLE_BYTES
            exam.expect("What travels is the output of the cut, and its error", sent_bytes(run, source) <= most,
                        f"{sent_bytes(run, source):,} bytes from rank {source}, needed {most:,}; {case}")  # fmt: skip
        # The order of both ranks' messages is that of the moment, where they are sent without waiting.
        early = [message.received_before for message in run.messages if message.source == 0]
        exam.expect("All micro-batches go forward before the first error is waited for", not any(early),
                    f"errors that rank 0 had received before it sent each: {early[:12]}; {case}")  # fmt: skip
        if not exam.passed:
            return


def _expect_slopes(exam: Examination, run: MPIRun, true: list[Floats], cut: int, case: str) -> None:
    for rank, (result, unchanged) in enumerate(run.results):
        mine = true[2 * cut :] if rank % 2 else true[: 2 * cut]
        exam.expect(UNCHANGED, unchanged, "unchanged" if unchanged else f"rank {rank} changed an argument; {case}")
        slopes = same_shapes(exam, result, mine, f"rank {rank}; {case}")
        off = gap(slopes, mine)
        exam.expect("Each rank's gradients are those of its layers for all rows, to 1e-10", off < 1e-10,
                    f"largest difference {off:.1e} of the largest slope, on rank {rank}; {case}")  # fmt: skip


@exercise("10.10", "idle_share", "micro_batches_for")
def check_idle_share(exam: Examination, idle_share: Any, micro_batches_for: Any) -> None:
    """The idle share follows from the schedule; the number of micro-batches is the smallest that is enough."""
    for _ in range(40):
        stages, micro = int(exam.rng.integers(1, 65)), int(exam.rng.integers(1, 300))
        found = number(exam, exam.call(idle_share, stages, micro), "The idle share")
        true = (stages - 1) / (micro + stages - 1)
        exam.expect("The idle share is right", abs(found - true) < 1e-9,
                    f"{found:.6g}, expected {true:.6g}; {stages} stages, {micro} micro-batches")  # fmt: skip
    if not exam.passed:
        return  # with a wrong share, the search may never end
    edges = [(4, 0.25), (2, 0.5), (8, 0.125), (9, 0.5), (1, 0.125), (3, 0.0625)]
    for stages, most in edges + [
        (int(exam.rng.integers(2, 65)), float(exam.rng.uniform(0.02, 0.9))) for _ in range(30)
    ]:
        found = number(exam, exam.call(micro_batches_for, stages, most), "The number of micro-batches")
        case = f"{found:g} for {stages} stages, at most {most:.4g} idle"
        exam.require("It is a whole number of 1 or more", found == int(found) and found >= 1, case)
        needed = (stages - 1) * (1 - most) / most
        near = abs(needed - round(needed)) < 1e-6 and (stages, most) not in edges
        exam.expect("So many are enough", near or found >= needed - 1e-9, case)
        exam.expect("One fewer would not be enough", near or found == 1 or found - 1 < needed - 1e-9, case)


@exercise("10.11", "hybrid_slopes")
def check_hybrid(exam: Examination, hybrid_slopes: Any) -> None:
    """On every rank: the gradients of its layers for the rows of all pipelines."""
    exam.require("It is a function", callable(hybrid_slopes), describe(hybrid_slopes))
    sizes, cut = (6, 7, 5, 3), 1
    for shares, n_micro in (((12, 12), 3), ((20, 6), 2), ((9,), 3), ((5, 17, 30), 4), ((8, 8, 8, 41), 1)):
        layers = random_network(exam.rng, sizes)
        X, wanted = random_rows(exam.rng, sum(shares), sizes)
        given = shared_out(X, wanted, layers, cut, shares)
        run = on_ranks(exam, watching(hybrid_slopes, 3), *given, n_micro, n_ranks=2 * len(shares))
        case = f"{len(shares)} pipelines with {', '.join(map(str, shares))} rows, {n_micro} micro-batches"
        _expect_slopes(exam, run, true_gradients(X, wanted, layers)[1], cut, case)
        between = {(one.source, one.target) for one in run.messages
                   if one.source // 2 != one.target // 2 and one.source % 2 != one.target % 2}  # fmt: skip
        exam.expect("Stages of different pipelines have nothing to say to each other, but for the same stage",
                    not between, f"{len(between)} such pairs; {case}")  # fmt: skip
        sent = Counter(one.source for one in run.messages if one.source // 2 == one.target // 2)
        fewest = min(sent[rank] for rank in range(2 * len(shares)))
        exam.expect("Each pipeline cuts its rows into micro-batches", fewest >= n_micro,
                    f"at least {fewest} from each rank to the other stage; {case}")  # fmt: skip
        if not exam.passed:
            return
