"""The log of requests to a cluster and their results."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import groupby
from pathlib import Path

from ...protocol.durations import spoken
from ...protocol.messages import NEWS, Message, MessageCode
from ...protocol.models import ClusterModel, ClusterState, WorkerModel
from ...protocol.plain_text import counted
from ...protocol.spec import ClusterPatch
from ...protocol.telemetry import ActivityEntry
from ...protocol.verbs import Verb
from ...registry import logs
from ...registry.record import now
from .deaths import Death, sentence
from .worker_titles import WorkerTitles

logger = logging.getLogger("gpucluster.supervisor")

COALESCE_SECONDS = 1.0  # Workers that come or go within this time are one entry.
NOTICE_SECONDS = 60.0  # Deaths within this time are one notice: a task that has killed one worker often kills others.
MOST_TOGETHER = 1000


class ActivityLog:
    """Appends to the activity of one cluster. A failure to write must not stop a cluster, and is ignored.

    * `planned`: returns the names of the workers that the cluster should have; one that is gone left unexpectedly.
    * `announce`: called with kind and message of a notice, and the earlier one that it replaces, ``instead``.
    * `renewed`: whether workers restart when they have reached their lifetime.
    """

    def __init__(
        self,
        path: Path,
        planned: Callable[[], Collection[str]],
        *,
        inquire: Callable[[Sequence[WorkerModel]], list[Death]],
        announce: Callable[..., Message],
        titles: WorkerTitles,
        renewed: bool = False,
    ) -> None:
        self._path = path
        self._planned = planned
        self._inquire = inquire
        self._announce = announce
        self._named = titles.together
        self._renewed = renewed
        self._state: ClusterState | None = None
        self._workers: dict[str, WorkerModel] | None = None
        self._came: dict[str, str] = {}
        self._went: list[tuple[str, WorkerModel]] = []
        self._sent: set[str] = set()
        self._missed: set[str] = set()
        self._restarted: dict[str, str] = {}
        self._returning: set[str] = set()
        self._n_restarts = 0
        self._pending: asyncio.TimerHandle | None = None
        self._failures: set[str] = set()
        self._noticed: tuple[float, Message, list[Death]] | None = None
        self._recomputing: list[tuple[Message, list[Death]]] = []
        """Notices of results that are being recomputed."""

    def note_request(self, kind: str, by: str | None, message: str) -> None:
        self._append(kind, message, logs.who(by))

    def note_change_request(self, patch: ClusterPatch, by: str | None) -> None:
        if patch.idle_timeout_seconds is not None:
            seconds = patch.idle_timeout_seconds
            request = f"Stop after {span(seconds)} without use" if seconds else "Never stop automatically"
            self.note_request("idle_timeout", by, request)
        elif patch.adapt is not None:
            bounds = f"{patch.adapt.minimum} to {patch.adapt.maximum}"
            self.note_request(Verb.ADAPT, by, f"Scale adaptively, {bounds}")
        else:
            self.note_request(Verb.SCALE, by, f"Scale to {counted(patch.n_workers or 0, 'worker')}")

    def happened(self, kind: str, message: str, by: str | None = None) -> None:
        """Note an event, and announce it if it is news."""
        self._append(kind, message, by)
        if kind in NEWS:
            self._announce(kind, message)

    def failed(self, message: str) -> None:
        """Note a failure after which the cluster continues."""
        self._append("failure", message)

    def note_model(self, model: ClusterModel) -> None:
        """Note the state of the cluster, if it is new."""
        state = model.state
        if state is self._state:
            return
        self._state = state
        if state is ClusterState.RUNNING:
            self._append("state", f"Running with {counted(model.n_workers, 'worker')}")
        elif state is ClusterState.STOPPED:
            self._append("state", f"Stopped. {model.reason or ''}".strip())
        elif state is ClusterState.FAILED:
            self._append("failure", f"Failed: {model.reason or 'see the log.'}")

    def mark_leaving(self, addresses: Collection[str]) -> None:
        """Expect these workers to leave. By address: another worker may get the name within a second."""
        self._sent.update(addresses)

    def mark_staying(self, addresses: Collection[str]) -> None:
        """Expect these workers to stay, except those that are gone already."""
        self._sent.difference_update(set(addresses) - {address for address, _ in self._went})

    def mark_lost(self, names: Iterable[str]) -> None:
        """Report these workers as gone unexpectedly, although they are being replaced and no longer planned."""
        self._missed.update(names)

    def note_workers(self, workers: Sequence[WorkerModel], *, restarting: bool) -> None:
        """Note which of the connected workers came and went since the last call.

        `restarting`: whether all of them are being replaced, which is not reported.
        """
        before, self._workers = self._workers, {worker.address or worker.name: worker for worker in workers}
        if before is None:
            return
        came = {address: worker.name for address, worker in self._workers.items() if address not in before}
        self._missed.difference_update(came.values())
        went = [(address, worker) for address, worker in before.items() if address not in self._workers]
        if not self._came.keys().isdisjoint(address for address, _ in went):
            self.flush()  # The arrival of a short-lived worker is reported first.
        if not restarting:
            self._came |= {address: name for address, name in came.items() if name not in self._returning}
            self._went += [(address, worker) for address, worker in went if address not in self._restarted]
        self._returning.difference_update(came.values())
        if (self._came or self._went) and self._pending is None:
            self._pending = asyncio.get_running_loop().call_later(COALESCE_SECONDS, self.flush)

    def note_failures(self, failures: Sequence[tuple[str, str]]) -> None:
        """Note failed tasks, given as kind and message; each kind once, until no failure of it is held."""
        for task, message in failures:
            if task not in self._failures:
                self.failed(message)
        self._failures = {task for task, _ in failures}

    def note_recomputing(self, number: int) -> None:
        """Complete the notices of deaths once the results that were lost are back."""
        if not number and self._pending is None:
            self._complete(recomputing=False)

    def _complete(self, *, recomputing: bool | None) -> None:
        for message, deaths in self._recomputing:
            text = sentence(deaths, self._named, recomputing=recomputing)
            completed = self._announce(message.code, text, instead=message)
            if self._noticed is not None and self._noticed[1] is message:
                self._noticed = (self._noticed[0], completed, deaths)
        self._recomputing = []

    def ended(self) -> None:
        """Write the workers that have gone; what has not been recomputed by now never is."""
        self.flush()
        self._complete(recomputing=None)

    def note_restarts(self, number: int) -> None:
        """Note how often Dask clients have restarted all workers; a restarted scheduler begins at 0."""
        if number > self._n_restarts:
            self.happened(Verb.RESTART, "Restart all workers, requested by a Dask client")
        self._n_restarts = number

    def flush(self) -> None:
        if self._pending is not None:
            self._pending.cancel()
            self._pending = None
        came, went = self._came, self._went
        self._came, self._went = {}, []
        if went:
            # Adaptive scaling takes workers out of the plan, for retired ones a little after they are gone.
            planned = self._missed.union(self._planned())
            lost = [worker for address, worker in went if worker.name in planned and address not in self._sent]
            sent = [worker.name for address, worker in went if worker.name not in planned or address in self._sent]
            self._sent.difference_update(address for address, _ in went)
            self._missed.difference_update(worker.name for _, worker in went)
            if lost:
                self._report_deaths(self._inquire(lost))
            if sent:
                self._write("worker_left", f"{self._named(sent)} left")
        if came:
            self._write("worker_joined", f"{self._named(list(came.values()))} joined")

    def _report_deaths(self, deaths: Sequence[Death]) -> None:
        explained = [death for death in deaths if death.explained_by_deployment]
        renewed = [death for death in deaths if self._renewed and death.why is None and death not in explained]
        died = [death for death in deaths if death not in renewed and death not in explained]
        if explained:
            message = sentence(explained, self._named)
            self._write("worker_left", message)
            if any(death.n_lost for death in explained):
                self._announce("worker_died", message)
        if renewed:
            self._write("worker_left", f"{self._named([death.worker.name for death in renewed])} left to restart")
        if died:
            self._write("worker_died", sentence(died, self._named))
            for _, together in groupby(died, key=lambda death: death.window):
                self._give_notice(list(together))

    def _give_notice(self, died: Sequence[Death]) -> None:
        since = at = time.monotonic()
        before: list[Death] = []
        instead = None
        if self._noticed is not None:
            windows = (self._noticed[2][-1].window, died[0].window)
            # Results are counted once within a window, but not across two of them.
            if at - self._noticed[0] < NOTICE_SECONDS if None in windows else windows[0] == windows[1]:
                since, instead, before = self._noticed
        deaths = [*before, *died][-MOST_TOGETHER:]
        code = MessageCode.WORKER_MEMORY if any(death.over_limit for death in deaths) else MessageCode.WORKER_DIED
        text = sentence(deaths, self._named, recomputing=True)
        message = self._announce(code, text, instead=instead)
        self._noticed = (since, message, deaths)
        self._recomputing = [(one, of) for one, of in self._recomputing if one is not instead]
        if text != sentence(deaths, self._named):
            self._recomputing.append((message, deaths))

    def _append(self, kind: str, message: str, by: str | None = None) -> None:
        self.flush()
        self._write(kind, message, by)
        if kind == Verb.RESTART:
            # That these go and their names come back is expected, even if one is late.
            self._restarted = {address: worker.name for address, worker in (self._workers or {}).items()}
            self._returning = set(self._restarted.values())

    def _write(self, kind: str, message: str, by: str | None = None) -> None:
        try:
            logs.append_activity(self._path, ActivityEntry(at=now(), kind=kind, by=by, message=message))
        except OSError as error:
            logger.warning("The activity could not be written down (%s): %s", error.strerror, message)


def span(seconds: int) -> str:
    """Return a time span in words, such as ``30 minutes``, in the largest unit that gives a whole number."""
    for unit, length in {"hour": 3600, "minute": 60}.items():
        if seconds and seconds % length == 0:
            return counted(seconds // length, unit)
    return counted(seconds, "second") if seconds < 120 else spoken(seconds)
