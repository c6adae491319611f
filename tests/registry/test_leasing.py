"""A lease lasts while its process lives and holds it."""

import os
from datetime import timedelta
from pathlib import Path

import pytest
from gpucluster.protocol.errors import InvalidState
from gpucluster.protocol.models import ClusterState
from gpucluster.registry.holders import Hold, lease_of_this_process, why_lease_ended
from gpucluster.registry.record import Folder
from gpucluster.registry.store import ENDED_LEASES_KEPT

from .records import write, write_ended

MINE = lease_of_this_process("cell", "notebook, process 7")


def test_lease_lasts_until_released(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    hold = Hold(folder)
    assert hold.holds
    assert why_lease_ended(folder, MINE) is None
    with pytest.raises(InvalidState):
        Hold(folder)
    # A forked child inherits the descriptor.
    child = os.dup(hold._descriptor or -1)
    hold.release()
    hold.release()
    assert not hold.holds
    assert why_lease_ended(folder, MINE) == "The cell that held the lease has ended."
    os.close(child)


def test_lease_ends_with_its_object(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    hold = Hold(folder)
    del hold
    assert why_lease_ended(folder, MINE) is not None


def test_lease_ends_with_its_process(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    hold = Hold(folder)
    of_another = MINE.model_copy(update={"birth": "before"})
    assert why_lease_ended(folder, of_another) == (
        "The holder of the lease (notebook, process 7) ended without releasing it."
    )
    hold.release()


def test_leases_do_not_displace_clusters(registry):
    write_ended(registry, "mine", age=timedelta(hours=1))
    for number in range(12):
        write_ended(registry, f"lease-{number}", age=timedelta(minutes=30 - number), lease=MINE)
    _, held = write(registry, "broken", ClusterState.FAILED, age=timedelta(minutes=40), lease=MINE)
    os.close(held)
    kept = [model.name for model in registry.list()]
    assert kept == ["lease-11", "lease-10", "lease-9", "broken", "mine"]
    assert ENDED_LEASES_KEPT == 3
