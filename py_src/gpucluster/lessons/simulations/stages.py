"""When the stages of a network that is cut into pieces compute, and when they wait.

A simulation: a forward pass of one stage takes one unit of time, a backward pass two, and messages take none. Several
micro-batches go through one model one after the other, all of them forward, then all of them back (Y. Huang et al.,
"GPipe: Efficient Training of Giant Neural Networks using Pipeline Parallelism", NeurIPS 2019). Several copies of the
model lie on the same devices by turns in one and in the opposite order, as those of GEMS do (A. Jain et al., "GEMS:
GPU-Enabled Memory-Aware Model-Parallelism System for Distributed DNN Training", SC 2020).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

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
