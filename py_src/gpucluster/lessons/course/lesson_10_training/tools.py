"""What lesson 10 simulates, and the logs that it reads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...simulations.ranks import MPIRun, simulate

# Whose numbers travel in an allreduce: the learner's own runs on simulated ranks, and each message is read.


SENDERS = ("send", "ssend", "isend", "sendrecv", "Send", "Ssend", "Isend", "Sendrecv")


class Parcel(NamedTuple):
    """One message that was read.

    Attributes
    ----------
    part : int
        Which part of the array it carries.
    ranks : frozenset of int
        Whose numbers are in it.
    """

    source: int
    target: int
    part: int
    ranks: frozenset[int]


class _Reading:
    """Hands everything on to a communicator, and keeps what is sent."""

    def __init__(self, comm: Any, sent: list[Any]) -> None:
        self._comm, self._sent = comm, sent

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._comm, name)
        if name not in SENDERS:
            return found

        def noted(message: Any, *args: Any, **kwargs: Any) -> Any:
            self._sent.append(np.array(message[0] if isinstance(message, list) else message, dtype=float))
            return found(message, *args, **kwargs)

        return noted


def read_ring(allreduce: Callable[..., Any], n_ranks: int) -> tuple[MPIRun, list[list[Parcel]]]:
    """Run an allreduce of arrays with one number for each rank, and tell what each message carries.

    Parameters
    ----------
    allreduce : callable
        ``allreduce(comm, values)``, as in exercise 10.7.
    n_ranks : int
        How many simulated ranks.

    Returns
    -------
    run : MPIRun
    steps : list of lists of Parcel
        What is sent first, second, … by each rank.
    """

    def rank(comm: Any) -> Any:
        sent: list[Any] = []
        # The number of the part, and one bit for each rank: a sum tells what it is the sum of.
        values = 2.0**comm.rank + np.arange(n_ranks) * 2.0**n_ranks
        return allreduce(_Reading(comm, sent), values), sent

    run = simulate(rank, n_ranks=n_ranks)
    read = []
    for source, (_, sent) in enumerate(run.results):
        targets = [message.target for message in run.messages if message.source == source]
        pairs = zip(targets, sent, strict=False)  # no message, where a rank sends to itself or to none
        read.append([_parcel(source, target, message, n_ranks) for target, message in pairs])
    steps = [[parcel for sent in read for parcel in sent[step : step + 1] if parcel is not None]
             for step in range(max(map(len, read)))]  # fmt: skip
    return run, steps


def _parcel(source: int, target: int, message: Any, n_ranks: int) -> Parcel | None:
    if message.size != 1:
        return None
    bits, label = int(message.ravel()[0]) % 2**n_ranks, int(message.ravel()[0]) // 2**n_ranks
    ranks = frozenset(rank for rank in range(n_ranks) if bits >> rank & 1)
    if not ranks or not 0 <= label // len(ranks) < n_ranks:
        return None
    return Parcel(source, target, label // len(ranks), ranks)


# When the stages of a network that is cut into pieces compute, and when they wait.


FORWARD, BACKWARD = 1.0, 2.0
"""Units of time; a backward pass multiplies twice as often."""


class Work(NamedTuple):
    """One pass of one micro-batch through one stage."""

    copy: int
    micro_batch: int
    stage: int
    backward: bool


class Span(NamedTuple):
    """A time in which a device works."""

    device: int
    work: Work
    start: float
    stop: float


def schedule(stages: int, micro_batches: int, copies: int = 1, *, one_at_a_time: bool = False) -> list[Span]:
    """Return what happens when, in the order of the starts.

    Parameters
    ----------
    stages : int
        Pieces of the network, and devices.
    micro_batches : int
        For each copy of the model.
    copies : int
        Of the model; each second one has its stages on the devices in the opposite order.
    one_at_a_time : bool
        A device begins with a copy when it is done with the copy before: only the memory for one copy's activations is
        there.
    """
    left = [Work(copy, micro, stage, backward) for copy in range(copies) for micro in range(micro_batches)
            for stage in range(stages) for backward in (False, True)]  # fmt: skip
    ended: dict[Work, float] = {}
    free = [0.0] * stages
    spans: list[Span] = []
    while left:
        ready = []
        for work in left:
            before = _before(work, stages, micro_batches, one_at_a_time)
            if all(one in ended for one in before):
                begin = max([free[_device(work, stages)], *(ended[one] for one in before)])
                ready.append((begin, not work.backward, work))
        start, _, work = min(ready)
        device = _device(work, stages)
        stop = start + (BACKWARD if work.backward else FORWARD)
        spans.append(Span(device, work, start, stop))
        ended[work] = free[device] = stop
        left.remove(work)
    return sorted(spans, key=lambda span: (span.start, span.device))


def _device(work: Work, stages: int) -> int:
    return stages - 1 - work.stage if work.copy % 2 else work.stage


def _before(work: Work, stages: int, micro_batches: int, one_at_a_time: bool) -> list[Work]:
    """Return what has to be done before."""
    copy, micro, stage, backward = work
    needs: list[Work] = []
    if backward:
        needs.append(Work(copy, micro, stage, False))
        if stage + 1 < stages:
            needs.append(Work(copy, micro, stage + 1, True))
        else:
            needs += [Work(copy, other, stage, False) for other in range(micro_batches)]
    elif stage:
        needs.append(Work(copy, micro, stage - 1, False))
    if not backward and one_at_a_time and copy:
        needs += [Work(copy - 1, other, stages - 1 - stage, True) for other in range(micro_batches)]
    return needs


def length(spans: Sequence[Span]) -> float:
    """Return when the last device is done."""
    return max(span.stop for span in spans)


def idle(spans: Sequence[Span]) -> float:
    """Return the share of all devices' time in which they wait, 0 to 1."""
    devices = 1 + max(span.device for span in spans)
    return 1 - sum(span.stop - span.start for span in spans) / (devices * length(spans))


# What two runs of a benchmark printed, as a tutorial of 2022 shows them: they were not run here.


ONE_CARD = """Model: resnet50
Batch size: 64
Number of GPUs: 1
Running warmup...
Running benchmark...
Iter #0: 333.9 img/sec per GPU
Iter #1: 334.2 img/sec per GPU
Iter #2: 333.9 img/sec per GPU
Iter #3: 333.8 img/sec per GPU
Iter #4: 333.9 img/sec per GPU
Img/sec per GPU: 334.0 +-0.2
Total img/sec on 1 GPU(s): 334.0 +-0.2
"""

TWO_NODES = """Model: resnet50
Batch size: 64
Number of GPUs: 2
Running warmup...
Running benchmark...
Iter #0: 317.0 img/sec per GPU
Iter #1: 314.9 img/sec per GPU
Iter #2: 315.4 img/sec per GPU
Iter #3: 318.0 img/sec per GPU
Iter #4: 316.7 img/sec per GPU
Img/sec per GPU: 316.4 +-2.2
Total img/sec on 2 GPU(s): 632.8 +-4
"""
