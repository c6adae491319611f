"""The first and the last cell of a lesson: find or create a cluster, and tidy up."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from ..client.libraries import libraries_for, use_libraries
from ..dask_internals.scheduler_information import known_workers
from ..protocol.errors import InvalidState
from ..protocol.plain_text import counted
from .catalogue import find_lesson
from .checks import exercises
from .clusters import connected_others, find_cluster, lessons_beside, use_private_scratch
from .following import notebook_names
from .probes.transfers import Traffic
from .results import Report

if TYPE_CHECKING:
    from distributed import Client

    from ..client.cluster import Cluster

CLUSTER_VARIABLE = "GPUCLUSTER_LESSON_CLUSTER"
"""Environment variable that names the cluster a lesson is to use."""

_current: Lab | None = None


class LessonClosed(InvalidState):
    """The lesson has been closed, or its cluster has ended. Shown as a sentence, without a traceback."""

    code = "lesson_closed"

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


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
        Whether the cluster is the lesson's own, so that `close` stops it, unless others are connected.

    Raises
    ------
    LessonClosed
        By everything that needs the cluster, once the lesson is closed or the cluster has ended.
    """

    def __init__(self, lesson: str, cluster: Cluster, *, owns_cluster: bool) -> None:
        known = find_lesson(lesson)
        self.lesson = lesson
        self.title = known.title if known else ""
        self._cluster = cluster
        self.owns_cluster = owns_cluster
        self.closed = False
        self.libraries = libraries_for(has_gpus=cluster.model.has_gpus)
        use_libraries(self.libraries)
        self._client: Client = cluster.get_client()

    @property
    def cluster(self) -> Cluster:
        """The cluster of this lesson; where it has ended, its log and activity can still be read."""
        if self.closed:
            raise LessonClosed(self.problem)
        return self._cluster

    @property
    def client(self) -> Client:
        """The client of this lesson."""
        if problem := self.problem:
            raise LessonClosed(problem)
        return self._client

    @property
    def problem(self) -> str:
        """Message why nothing can run on the cluster any more; empty if all is well."""
        again = f'Run its first code cell (`lab = lessons.start("{self.lesson}")`) and the cells that you need again.'
        if self.closed:
            return f"Lesson {self.lesson} is closed. {again}"
        if self._client.status in {"closing", "closed"}:
            return f"The cluster of lesson {self.lesson}, {self._cluster.name}, has ended. {again}"
        return ""

    def traffic(self) -> Traffic:
        """Count the bytes of results that leave the workers inside a ``with`` block."""
        return Traffic(self.client)

    def report(self, **figures: Any) -> Report:
        """Show the result of a run in one line, with the number of workers beside it."""
        return Report(self.lesson, {**figures, "workers": len(known_workers(self.client))})

    def close(self) -> None:
        """Disconnect, and stop the cluster if it is the lesson's own and has no other clients."""
        if self.closed:
            return
        others = connected_others(self._client) if self.owns_cluster else 0
        self._disconnect()
        name = self._cluster.name
        if not self.owns_cluster:
            print(f"Disconnected. {name} keeps running; stop it in the panel or with gpucluster stop {name}.")
        elif others:
            print(f"Disconnected. {name} keeps running, as another program is connected to it. The last one stops it.")
        else:
            self._cluster.stop()
            print(f"Stopped {name}.")

    def _disconnect(self) -> None:
        self.closed = True
        self._client.close()

    def __repr__(self) -> str:
        return self.problem or "\n".join(f"{label:<11}{text}" for label, text in self._lines())

    def _lines(self) -> list[tuple[str, str]]:
        model = self._cluster.model
        made = "made by this lesson; the last cell stops it" if self.owns_cluster else "was already running; it is kept"
        beside = lessons_beside(model.name)
        names = ", ".join(beside)
        those, takes = ("that lesson", "it takes") if len(beside) == 1 else ("those lessons", "they take")
        kind = {"cuda": "GPU", "local": "CPU"}.get(model.backend, model.backend)
        workers = counted(model.n_workers, f"{kind} worker")
        if model.workers:
            first = model.workers[0]
            workers += f", {counted(first.n_threads, 'thread')} each"
            if first.memory_limit_bytes:
                workers += f", {first.memory_limit_bytes / 2**30:.1f} GiB of host memory each"
        lines = [
            ("Lesson", f"{self.lesson} · {self.title}"),
            ("Cluster", f"{model.name} ({made})"),
            ("Workers", workers),
            *([("Kind", model.backend_reason)] if model.backend_reason else []),
            ("Blocks", f"arrays: {_named(self.libraries.arrays)}, tables: {_named(self.libraries.frames)}"),
            *([("Note", self.libraries.warning)] if self.libraries.warning else []),
            *([("Beside it", f"{names}: close {those} when you are done, as {takes} memory")] if beside else []),
            ("Versions", f"Python {platform.python_version()}, {_named('dask')}, {_named('gpucluster')}"),
        ]
        link = self._cluster.dashboard_link
        # Outside Jupyter the link holds a secret, which has no place in a saved notebook.
        return [*lines, ("Dashboard", link)] if link.startswith("/") else lines


def start(lesson: str, *, cluster: str | None = None, apart: bool = False) -> Lab:
    """Connect a lesson to a cluster and say what it runs on.

    The cluster is, in this order: the one named here, the one that the environment variable
    ``GPUCLUSTER_LESSON_CLUSTER`` names, the lesson's own from before (``lesson-06``), the only one that runs and that
    no other lesson made, or a new one with two workers, for this lesson alone.

    Parameters
    ----------
    lesson : str
        Number of the lesson, such as ``"06"``.
    cluster : str, optional
        Name or id of a running cluster.
    apart : bool, optional
        Do not share a cluster, because the lesson ends workers on purpose.

    Raises
    ------
    InvalidRequest
        When several clusters run and none is named, or when the lesson would disturb others on the one that is.
    """
    global _current
    if _current is not None and not _current.closed:
        _current._disconnect()  # the cell was run again; the cluster is found again below
    found, owns = find_cluster(lesson, cluster or os.environ.get(CLUSTER_VARIABLE), apart=apart)
    use_private_scratch()
    _current = Lab(lesson, found, owns_cluster=owns)
    _name_answers(lesson)
    print(_current)
    return _current


def _name_answers(lesson: str) -> None:
    """Give the notebook a ``...`` for each answer, for the cells that ask for one whose own cell raises an error."""
    if notebook := notebook_names(()):
        for name in (name for exercise in exercises(lesson) for name in exercise.answers):
            notebook.values.setdefault(name, ...)


def current_client() -> Client | None:
    """Return the client of the lesson that is open; in a process that has had no lesson, any client that it has."""
    if _current is not None:
        return None if _current.problem else _current._client
    from distributed import default_client

    try:
        client: Client = default_client()
    except ValueError:
        return None
    return client


def missing_cluster() -> str:
    """Say why there is no cluster to check an answer on, and what to do."""
    if _current is not None and (problem := _current.problem):
        return f"This check needs a cluster. {problem}"
    return "This check needs the lesson's cluster. Run the first code cell (`lab = lessons.start(...)`) again."


def _named(library: str) -> str:
    distributions = [library, *(f"{library}-cuda{n}x" for n in (13, 12)), *(f"{library}-cu{n}" for n in (13, 12))]
    for distribution in distributions:
        try:
            return f"{library} {version(distribution)}"
        except PackageNotFoundError:
            continue
    return library
