"""Which cluster a lesson runs on, and which other clients are connected to it.

A lesson creates its own cluster, known by its name (``lesson-06``), unless a cluster was started in the panel, with the
magic or in a shell. The lesson shares such a cluster and never stops it.
"""

from __future__ import annotations

import re
from itertools import count
from typing import TYPE_CHECKING, Any

from ..dask_internals.scheduler_state import clients_of_people
from ..protocol.errors import InvalidRequest, NameTaken, StartFailed
from ..protocol.models import ClusterModel, ClusterState
from ..protocol.plain_text import counted
from ..registry.directory import default_directory, secure_directory

if TYPE_CHECKING:
    from distributed import Client

    from ..client.cluster import Cluster

WORKERS = 2
"""Of a cluster that a lesson makes, unless there is one GPU only."""
_OF_A_LESSON = re.compile(r"lesson-\d\d(-\d+)?")


def find_cluster(lesson: str, named: str | None, *, apart: bool = False) -> tuple[Cluster, bool]:
    """Return the cluster that a lesson is to use, and whether it is the lesson's own.

    Parameters
    ----------
    lesson : str
        Number of the lesson.
    named : str or None
        Name or id of the chosen cluster, if any.
    apart : bool
        Whether the lesson disturbs whatever else is on its cluster, and so shares none.

    Raises
    ------
    InvalidRequest
        When several shared clusters run and none is named, or when the named one has users that would be disturbed.
    """
    if named:
        cluster = _connect(named)
        if apart and (others := _users(cluster)):
            raise InvalidRequest(
                f"Lesson {lesson} ends workers on purpose, and {counted(others, 'other program')} "
                f"{'are' if others != 1 else 'is'} connected to {cluster.name}. Run it without naming a cluster, so "
                "that it creates one."
            )
        return cluster, False
    alive = {model.name: model for model in living_clusters()}
    own = f"lesson-{lesson}"
    if apart:
        return _unused(own, alive), True
    if own in alive:  # made by a kernel that was restarted, or by another copy of the lesson
        return _connect(alive[own].id), True
    shared = [model for model in alive.values() if not _OF_A_LESSON.fullmatch(model.name)]
    if len(shared) == 1:
        return _connect(shared[0].id), False
    if shared:
        names = ", ".join(model.name for model in shared)
        raise InvalidRequest(
            f"Several clusters are running: {names}. "
            f'Choose one for the lesson: lessons.start("{lesson}", cluster="{shared[0].name}").'
        )
    return _create(own, alive), True


def living_clusters() -> list[ClusterModel]:
    """Return the clusters that a lesson could use."""
    from ..client import api

    return [model for model in api.list() if not model.state.ended and model.state is not ClusterState.STOPPING]


def lessons_beside(cluster: str) -> list[str]:
    """Return the names of the clusters that other lessons have made."""
    names = [model.name for model in living_clusters()]
    return sorted(name for name in names if name != cluster and _OF_A_LESSON.fullmatch(name))


def connected_others(client: Client) -> int:
    """Return how many clients of other processes are connected to the scheduler of this one."""
    from ..dask_internals.clients import client_ids

    if client.status != "running":
        return 0
    found: list[str] = client.run_on_scheduler(_clients)
    return len(set(found) - client_ids())


def use_private_scratch() -> None:
    """Let Dask in this process use a directory that only this user can enter, unless the user has chosen one.

    Dask's default has a known name in a directory that all users share, so another user could create it first and plant
    links there. One directory for all kernels, as Dask clears away what processes leave in it that were killed.
    """
    import dask

    if dask.config.get("temporary-directory", None) is None:
        folder = secure_directory(default_directory()) / "scratch"
        folder.mkdir(mode=0o700, exist_ok=True)
        dask.config.set({"temporary-directory": str(folder)})


def _clients(dask_scheduler: Any) -> list[str]:
    # Clients that tasks made for themselves on a worker go with the cluster.
    return clients_of_people(dask_scheduler)


def _unused(own: str, alive: dict[str, ClusterModel]) -> Cluster:
    """Return the first of the lesson's clusters that has no other clients, or a new one."""
    for number in count(1):
        name = own if number == 1 else f"{own}-{number}"
        if name not in alive:
            return _create(name, alive)
        cluster = _connect(alive[name].id)
        if not _users(cluster):
            return cluster
    raise AssertionError


def _users(cluster: Cluster) -> int:
    with cluster.get_client(set_as_default=False) as client:
        return connected_others(client)


def _connect(name: str) -> Cluster:
    from ..client import api

    cluster: Cluster = api.connect(name)
    cluster.wait_for_workers()  # it may have been created a moment ago
    return cluster


def _create(name: str, alive: dict[str, ClusterModel]) -> Cluster:
    from ..client import api
    from ..client.starting.capacity import usable_gpus

    cluster: Cluster
    try:
        # Where there is one GPU only, one worker: more are CPU workers.
        cluster = api.create("auto", name=name, n_workers=min(WORKERS, usable_gpus() or WORKERS))
        if cluster.backend == "local" and cluster.model.wanted.n_workers != WORKERS:
            cluster.scale(WORKERS)  # CUDA cannot use that GPU.
            cluster.wait_for_workers()
    except NameTaken:  # another notebook was a moment faster
        return _connect(name)
    except StartFailed as error:
        if not alive:
            raise
        names = ", ".join(alive)
        raise StartFailed(f"{error} Already running: {names}. Stop those you do not need, and try again.") from None
    return cluster
