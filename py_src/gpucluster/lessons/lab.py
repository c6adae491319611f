"""The first and the last cell of a lesson: find or create a cluster, and tidy up."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from ..client.libraries import libraries_for, use_libraries
from ..protocol.errors import InvalidRequest, NameTaken, PreflightFailed
from ..protocol.models import ClusterModel, ClusterState
from .catalogue import find_lesson
from .instruments.traffic import Traffic
from .results import LESSON_MIME
from .scratch import use_private_scratch

if TYPE_CHECKING:
    from distributed import Client

    from ..client.cluster import Cluster

CLUSTER_VARIABLE = "GPUCLUSTER_LESSON_CLUSTER"
"""Environment variable that names the cluster a lesson is to use."""

_current: Lab | None = None


class Lab:
    """What a lesson runs on.

    Attributes
    ----------
    cluster : gpucluster.Cluster
        The cluster.
    client : distributed.Client
        Connected to it.
    arrays, tables : str
        Libraries that the workers' blocks are made of, such as ``"numpy"`` and ``"pandas"``.
    owns_cluster : bool
        Whether this lesson made the cluster, so that `close` stops it.
    """

    def __init__(self, lesson: str, cluster: Cluster, *, owns_cluster: bool) -> None:
        known = find_lesson(lesson)
        self.lesson = lesson
        self.title = known.title if known else ""
        self.cluster = cluster
        self.owns_cluster = owns_cluster
        self.closed = False
        self.libraries = libraries_for(cluster.model.backend)
        use_libraries(self.libraries)
        self.client: Client = cluster.get_client()

    def traffic(self) -> Traffic:
        """Count the bytes of results that leave the workers inside a ``with`` block."""
        return Traffic(self.client)

    def report(self, **figures: Any) -> Report:
        """Show the result of a run in one line, with the number of workers beside it."""
        return Report(self.lesson, {**figures, "workers": len(self.client.scheduler_info(n_workers=-1)["workers"])})

    def close(self) -> None:
        """Disconnect, and stop the cluster if this lesson made it."""
        global _current
        if self.closed:
            return
        self.closed = True
        if _current is self:
            _current = None
        self.client.close()
        name = self.cluster.name
        if self.owns_cluster:
            self.cluster.stop()
            print(f"Stopped {name}.")
        else:
            print(f"Disconnected. {name} keeps running; stop it in the panel or with gpucluster stop {name}.")

    def __repr__(self) -> str:
        return "\n".join(f"{label:<11}{text}" for label, text in self._lines())

    def _lines(self) -> list[tuple[str, str]]:
        model = self.cluster.model
        made = "made by this lesson; the last cell stops it" if self.owns_cluster else "was running already"
        kind = {"cuda": "GPU", "local": "CPU"}.get(model.backend, model.backend)
        workers = f"{model.n_workers} {kind} worker{'s' if model.n_workers != 1 else ''}"
        if model.workers:
            first = model.workers[0]
            workers += f", {first.n_threads} thread{'s' if first.n_threads != 1 else ''} each"
            if first.memory_limit_bytes:
                workers += f", {first.memory_limit_bytes / 2**30:.1f} GiB of host memory each"
        lines = [
            ("Lesson", f"{self.lesson} · {self.title}"),
            ("Cluster", f"{model.name} ({made})"),
            ("Workers", workers),
            *([("Kind", model.backend_reason)] if model.backend_reason else []),
            ("Blocks", f"arrays: {_named(self.libraries.arrays)}, tables: {_named(self.libraries.frames)}"),
            *([("Note", self.libraries.warning)] if self.libraries.warning else []),
            ("Versions", f"Python {platform.python_version()}, {_named('dask')}, {_named('gpucluster')}"),
        ]
        link = self.cluster.dashboard_link
        # Outside Jupyter the link holds a secret, which has no place in a saved notebook.
        return [*lines, ("Dashboard", link)] if link.startswith("/") else lines


class Report:
    """Figures of a run, shown in one line and kept as a record."""

    def __init__(self, lesson: str, figures: dict[str, Any]) -> None:
        self.lesson = lesson
        self.figures = {key: value.item() if hasattr(value, "item") else value for key, value in figures.items()}

    def __repr__(self) -> str:
        return " · ".join(f"{key} {_figure(value)}" for key, value in self.figures.items())

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        record = {"kind": "report", "lesson": self.lesson, "figures": self.figures}
        return {"text/plain": repr(self), LESSON_MIME: record}


def start(lesson: str, *, cluster: str | None = None) -> Lab:
    """Connect a lesson to a cluster and say what it runs on.

    The cluster is, in this order: the one named here, the one that the environment variable
    ``GPUCLUSTER_LESSON_CLUSTER`` names, the only one that runs, or a new one with two workers.

    Parameters
    ----------
    lesson : str
        Number of the lesson, such as ``"06"``.
    cluster : str, optional
        Name or id of a running cluster.

    Raises
    ------
    InvalidRequest
        When several clusters run and none is named.
    """
    global _current
    if _current is not None and not _current.closed:
        _current.client.close()  # the cell was run again; the cluster is found again below
        _current = None
    named = cluster or os.environ.get(CLUSTER_VARIABLE)
    handle, owns = _find(lesson, named)
    use_private_scratch()
    _current = Lab(lesson, handle, owns_cluster=owns)
    print(_current)
    return _current


def current_client() -> Client | None:
    """Return the client of the lesson that is open, else any client of this process."""
    if _current is not None and not _current.closed:
        return _current.client
    from distributed import default_client

    try:
        client: Client = default_client()
    except ValueError:
        return None
    return client


def _find(lesson: str, named: str | None) -> tuple[Cluster, bool]:
    from ..client import api

    if named:
        return _connect(named), False
    own = f"lesson-{lesson}"
    alive = [model for model in api.list() if _usable(model)]
    if len(alive) == 1:
        # A kernel that was restarted finds the cluster that the lesson made before.
        return _connect(alive[0].id), alive[0].name == own
    if alive:
        names = ", ".join(model.name for model in alive)
        raise InvalidRequest(
            f"Several clusters are running: {names}. "
            f'Say which one the lesson shall use: lessons.start("{lesson}", cluster="{alive[0].name}").'
        )
    try:
        return _create(own), True
    except NameTaken:  # another notebook was a moment faster
        return _connect(own), False


def _connect(name: str) -> Cluster:
    from ..client import api

    cluster: Cluster = api.connect(name)
    cluster.wait_for_workers()  # it may have been created a moment ago
    return cluster


def _create(name: str) -> Cluster:
    from ..client import api

    cluster: Cluster
    try:
        cluster = api.create("auto", name=name, n_workers=2)
    except (InvalidRequest, PreflightFailed):
        cluster = api.create("auto", name=name)  # one GPU only: one worker
    return cluster


def _usable(model: ClusterModel) -> bool:
    return not model.state.ended and model.state is not ClusterState.STOPPING


def _named(library: str) -> str:
    distributions = [library, *(f"{library}-cuda{n}x" for n in (13, 12)), *(f"{library}-cu{n}" for n in (13, 12))]
    for distribution in distributions:
        try:
            return f"{library} {version(distribution)}"
        except PackageNotFoundError:
            continue
    return library


def _figure(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.4f}" if abs(value) >= 10 else f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) else str(value)
