"""What has happened to a cluster: requests and their results, why workers died, and first events such as a spill."""

from __future__ import annotations

import asyncio
import logging
import signal
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from ..backends.deployment import Deployment
from ..backends.scheduler.view import Columns, Gone, Members
from ..operating_system.resources import MemoryKills
from ..protocol.durations import spoken
from ..protocol.messages import NEWS, Message, MessageCode
from ..protocol.models import ClusterModel, ClusterState, WorkerModel
from ..protocol.plain_text import counted, printable
from ..protocol.sizes import format_size
from ..protocol.spec import ClusterPatch
from ..protocol.telemetry import ActivityEntry
from ..protocol.verbs import Verb
from ..protocol.workers import several_workers, worker_title
from ..registry import logs
from ..registry.record import now

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
        self._recomputing: list[tuple[Message, list[Death]]] = []  # Notices of results that are being recomputed.

    def note_request(self, kind: str, by: str | None, message: str) -> None:
        self._append(kind, message, logs.requester(by))

    def note_change_request(self, patch: ClusterPatch, by: str | None) -> None:
        if patch.idle_timeout_seconds is not None:
            seconds = patch.idle_timeout_seconds
            request = f"Stop when idle for {span(seconds)}" if seconds else "Never stop automatically"
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
        """Note which connected workers came and went since the last call, unless all are replaced (`restarting`)."""
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
            logger.warning("The activity log could not be written (%s): %s", error.strerror, message)


def span(seconds: int) -> str:
    """Return a time span in words, such as ``30 minutes``, in the largest unit that gives a whole number."""
    for unit, length in {"hour": 3600, "minute": 60}.items():
        if seconds and seconds % length == 0:
            return counted(seconds // length, unit)
    return counted(seconds, "second") if seconds < 120 else spoken(seconds)


_UNKNOWN_STATUS = 255


@dataclass(frozen=True)
class Death:
    """What is known of a worker that left although it was wanted."""

    worker: WorkerModel
    why: str | None  # Continues 'Worker 0', such as 'was killed (SIGKILL)'; ``None``: unknown.
    n_recomputed: int = 0
    n_lost: int = 0
    over_limit: bool = False  # Whether it needed more memory than its limit.
    explained_by_deployment: bool = False  # Whether the deployment reports why, for all together.
    tasks: tuple[str, ...] = ()  # Kinds of the tasks that it had, the most frequent first.
    window: int | None = None  # As in ``Gone``; ``None``: unknown.


class DeathCauses:
    """Finds out why workers of one cluster died. `deployment`: returns it, once there is one."""

    def __init__(self, deployment: Callable[[], Deployment | None]) -> None:
        self._deployment = deployment
        self._kills = MemoryKills()

    def look_at(self, workers: Sequence[WorkerModel]) -> list[Death]:
        deployment = self._deployment()
        if deployment is None:
            return [Death(worker, None) for worker in workers]
        gone = {left.address: left for left in deployment.scheduler.members().gone}
        killed_by_system = self._kills.since_last()
        return [self._one(deployment, worker, gone.get(worker.address or ""), killed_by_system) for worker in workers]

    def _one(self, deployment: Deployment, worker: WorkerModel, gone: Gone | None, killed_by_system: bool) -> Death:
        counts = (gone.n_recomputed, gone.n_lost) if gone is not None else (0, 0)
        tasks, window = (gone.tasks, gone.window) if gone is not None else ((), None)
        if deployment.lost_together:
            return Death(worker, None, *counts, explained_by_deployment=True, window=window)
        status = None if worker.pid is None else deployment.how_ended(worker.pid)
        why = None
        if worker.device is not None and (trouble := deployment.gpu_trouble(worker.device)) is not None:
            why = f"died: {trouble}"
        over_limit = gone is not None and gone.too_big
        if over_limit:
            limit = worker.memory_limit_bytes
            why = "ran out of memory" + (f" (limit {format_size(limit)})" if limit else "")
        elif why is None and status is not None:
            why = ended_by(status, out_of_memory=killed_by_system)
        return Death(worker, why, *counts, over_limit=over_limit, tasks=tasks, window=window)


def ended_by(status: int, *, out_of_memory: bool = False) -> str | None:
    """Return the meaning of an exit status as a continuation of 'Worker 0'; ``None`` if it has none."""
    if status == -signal.SIGKILL and out_of_memory:
        return "was killed by the system: out of memory"
    if status < 0:
        try:
            return f"was killed ({signal.Signals(-status).name})"
        except ValueError:
            return f"was killed (signal {-status})"
    return None if status == _UNKNOWN_STATUS else f"exited with status {status}"


_LONGEST_TASK = 30


def sentence(deaths: Sequence[Death], named: Callable[[Sequence[str]], str], *, recomputing: bool | None = None) -> str:
    """Return which workers died, why, during which tasks, and what is recomputed, in one or two sentences.

    `recomputing`: whether that is under way or done; ``None``: in words that stay true.
    """
    names = list(dict.fromkeys(death.worker.name for death in deaths))
    who = named(names)
    causes = Counter(death.why for death in deaths if death.why is not None)
    times = "" if len(names) == len(deaths) else f", {len(deaths)} times{' in total' if len(names) > 1 else ''}"
    if all(death.explained_by_deployment for death in deaths):
        text = f"{who} left{times}"
    elif not causes:
        text = f"{who} left unexpectedly{times}; see the log"
    else:
        (why, number), *_ = causes.most_common()
        text = f"{who} {_of(why, len(names))}{times}"
        if number < len(deaths):
            text = f"{who} died{times}; {number} of them {_of(why, number)}"
        text += _running(deaths)
    recomputed, lost = sum(death.n_recomputed for death in deaths), sum(death.n_lost for death in deaths)
    if lost:
        return f"{text}. {counted(lost, 'piece')} of scattered data {'is' if lost == 1 else 'are'} lost."
    if recomputed:
        if recomputing is None:
            return f"{text}. {counted(recomputed, 'result')} to recompute."
        one, many = ("is being", "are being") if recomputing else ("was", "were")
        return f"{text}. {counted(recomputed, 'result')} {one if recomputed == 1 else many} recomputed."
    return f"{text}."


def _of(why: str, number: int) -> str:
    return f"were {why.removeprefix('was ')}" if number > 1 and why.startswith("was ") else why


def _running(deaths: Sequence[Death]) -> str:
    """Return the kinds of tasks that the workers were running, the most frequent first."""
    tasks = Counter(task for death in deaths for task in death.tasks)
    if not tasks:
        return ""
    first, *others = (f"'{printable(task, _LONGEST_TASK)}'" for task, _ in tasks.most_common())
    return f" while running {first}" + (f" and {others[0]}" if len(others) == 1 else " and others" if others else "")


_REMEMBERED = 10_000


class WorkerTitles:
    """The titles of workers by name, with their GPU and machine as far as reported."""

    def __init__(self) -> None:
        self._titles: dict[str, str] = {}

    def note(self, columns: Columns) -> None:
        names = columns["workers"]
        several = len({host for host in columns.get("host", ()) if host is not None}) > 1
        if len(self._titles) + len(names) > _REMEMBERED:
            self._titles.clear()
        for place, name in enumerate(names):
            machine = figure(columns, "host", place) if several else None
            self._titles[name] = worker_title(name, figure(columns, "device_index", place), machine)

    def of(self, name: str) -> str:
        return self._titles.get(name) or worker_title(name)

    def together(self, names: Iterable[str]) -> str:
        return several_workers([self.of(name) for name in sorted(names, key=lambda name: (len(name), name))])


def figure(columns: Columns, name: str, place: int) -> Any:
    """Return a figure of the worker in that place; ``None``: it is not measured."""
    values = columns.get(name, ())
    return values[place] if place < len(values) else None


Mark = tuple[str, str]  # Kind and message of a piece of news.
_LONGEST_TROUBLE = 90
SILENT_SECONDS = 30.0
"""Workers report every few seconds. The scheduler removes one that hangs only after minutes, since a task that holds
Python's lock silences its worker as well."""


class Marks:
    """Looks at each reading for something new. `titles`: what users call the workers."""

    def __init__(self, titles: WorkerTitles) -> None:
        self._titles = titles
        self._spilled = self._paused = False
        self._lost: set[str] = set()
        self._silent: set[str] = set()

    def forget(self) -> None:
        """Start over, as after a restart of all workers."""
        self._spilled = self._paused = False

    def look_at(self, columns: Columns, members: Members) -> list[Mark]:
        """Return what is new. `columns`: as read from the heartbeats. `members`: the present workers and clients."""
        return [*self._spill(columns), *self._pause(members), *self._silence(columns), *self._gpus(columns)]

    def _spill(self, columns: Columns) -> list[Mark]:
        if self._spilled:
            return []
        for place, worker in enumerate(columns["workers"]):
            has_gpu = figure(columns, "device", place) is not None
            for tier, where in (("tier_disk_bytes", "on disk"), ("tier_host_bytes", "in host memory")):
                size = figure(columns, tier, place)
                # Without a GPU, host memory is where results belong.
                if size and (has_gpu or tier == "tier_disk_bytes"):
                    self._spilled = True
                    full = "the GPU's memory" if has_gpu else "its memory"
                    results = f"{format_size(size)} of results are {where}"
                    return [("spill", f"{self._titles.of(worker)} spills, as {full} fills up: {results}.")]
        return []

    def _pause(self, members: Members) -> list[Mark]:
        paused = [worker for worker in members.workers if worker.paused]
        if self._paused or not paused:
            return []
        self._paused = True
        why = "its memory is probably almost full"
        if paused[0].spills_no_more:
            why = "its next result may not fit in its memory, and does not fit in its share of the scratch limit"
        return [("pause", f"{self._titles.of(paused[0].name)} is paused and starts no new tasks: {why}.")]

    def _silence(self, columns: Columns) -> list[Mark]:
        ages = zip(columns["workers"], columns.get("age_seconds", ()), strict=False)
        silent = {worker for worker, age in ages if age is not None and age > SILENT_SECONDS}
        new, self._silent = sorted(silent - self._silent), silent
        why = f"has not responded for {SILENT_SECONDS:.0f} s: it hangs, or a task holds the GIL."
        return [("pause", f"{self._titles.of(worker)} {why}") for worker in new]

    def _gpus(self, columns: Columns) -> list[Mark]:
        marks: list[Mark] = []
        broken: set[str] = set()
        for place, worker in enumerate(columns["workers"]):
            trouble = figure(columns, "device_error", place)
            if trouble is None:
                continue
            broken.add(worker)
            if worker not in self._lost:
                marks.append(("gpu", f"{self._titles.of(worker)}: {str(trouble)[:_LONGEST_TROUBLE]}"))
        self._lost = broken
        return marks
