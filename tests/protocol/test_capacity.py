"""What a machine can hold."""

from __future__ import annotations

import pytest
from gpucluster.backends.local import LocalSpec
from gpucluster.protocol.capacity import Machine, capacity_notes, memory_fault, spec_notes

GIB = 2**30
MACHINE = Machine(memory_bytes=24 * GIB, cores=2)


def test_one_worker_cannot_have_more_than_the_machine():
    fault = memory_fault(40 * GIB, MACHINE)
    assert fault is not None
    assert fault.field == "memory_limit"
    assert "40 GiB" in fault.message
    assert "24 GiB" in fault.message


@pytest.mark.parametrize("limit", [24 * GIB, 0.9, "auto", None])
def test_all_of_the_machine_is_not_too_much(limit):
    assert memory_fault(limit, MACHINE) is None


def test_what_all_workers_share_is_told():
    assert capacity_notes(2, 1, 12 * GIB, MACHINE) == []
    (memory,) = capacity_notes(2, 1, 13 * GIB, MACHINE)
    assert memory.startswith("2 workers may use 13 GiB of memory each, 26 GiB together; this machine has 24 GiB.")
    (threads,) = capacity_notes(2, 2, 12 * GIB, MACHINE)
    assert threads.startswith("4 threads (2 workers with 2 each) run on 2 cores: ")
    (threads,) = capacity_notes(3, 1, 0, MACHINE)
    assert threads.startswith("3 threads run on 2 cores: ")
    assert len(capacity_notes(3, 2, 20 * GIB, MACHINE)) == 2


def test_notes_on_what_is_left_open():
    assert spec_notes(LocalSpec(), MACHINE) == []
    assert spec_notes(LocalSpec(memory_limit=0.6), MACHINE)[0].startswith("2 workers may use 14.4 GiB of memory each")
    assert spec_notes(LocalSpec(threads_per_worker=2), MACHINE, n_workers=1) == []
