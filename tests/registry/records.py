"""Write clusters into a registry."""

import os
from datetime import UTC, datetime, timedelta

from gpucluster.backends.local import LocalSpec
from gpucluster.protocol.models import ClusterModel, ClusterState, Idle, Wanted
from gpucluster.registry.record import Folder, Record
from gpucluster.registry.store import Registry


def stamp(age: timedelta) -> str:
    return (datetime.now(UTC) - age).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def write(registry: Registry, name: str, state: ClusterState, *, age=timedelta(), **changes) -> tuple[Folder, int]:
    """Write a record as a supervisor does; return the folder and its held lock."""
    folder, held = registry.new_folder()
    model = ClusterModel(
        id=folder.id, name=name, backend="local", state=state, wanted=Wanted(n_workers=2), n_workers=2, pid=4242,
        idle=Idle(timeout_seconds=60, idle_since=stamp(age), stops_at=stamp(age)), python="python",
        created_at=stamp(age), ended_at=stamp(age) if state.ended else None, spec=LocalSpec(),
        scheduler_address="tls://127.0.0.1:1",
    )  # fmt: skip
    registry.write(folder, Record(kind="cluster", cluster=model.model_copy(update=changes)))
    return folder, held


def write_ended(registry: Registry, name: str, **options) -> Folder:
    folder, held = write(registry, name, ClusterState.STOPPED, **options)
    os.close(held)
    return folder
