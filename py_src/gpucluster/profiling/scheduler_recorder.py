"""What happens on the scheduler while a cell is profiled: its task stream, added up where it happens.

The plugin is sent to the scheduler by value, so that any cluster can be profiled, whatever is installed there: this
module and ``blocks`` import nothing else of this package. It costs a few microseconds per task, and nothing of
a single task travels to the notebook.
"""

from __future__ import annotations

import functools
import time
from typing import Any

from distributed import Scheduler, SchedulerPlugin

from .blocks import Block, bounded, covered_seconds, spread

HELD_BLOCKS = 50_000
SENT_BLOCKS = 2_000
SENT_THREADS = 48
_FAILURES = 5
_FAILURE_LETTERS = 160


class SchedulerRecorder(SchedulerPlugin):
    """Adds up tasks, joins and losses of workers, and what clients send.

    Parameters
    ----------
    name : str
        Under which the plugin is known to the scheduler.
    owner : str
        The client that measures: when it goes, so does the recorder.
    """

    def __init__(self, name: str, owner: str) -> None:
        self.name = name
        self._owner = owner

    # -- life ------------------------------------------------------------------------------------

    async def start(self, scheduler: Scheduler) -> None:
        """Begin to record."""
        self._scheduler = scheduler
        self._begin = time.time()
        self._monitor_count = scheduler.monitor.count
        self._prefixes: dict[str, dict[str, float]] = {}
        self._workers: dict[str, dict[str, Any]] = {}
        self._blocks: list[Block] = []
        self._failures: dict[str, str] = {}
        self._restarts = 0
        self._sent_bytes: int | None = 0
        self._wrapped: list[tuple[dict[str, Any], str, Any, Any]] = []
        self._counting = True
        self._other_clients: set[str] = set()
        for worker in scheduler.workers.values():
            self._meet(worker.address)
        self._count_what_clients_send()
        self.mark()

    def mark(self) -> float:
        """Take this moment for the beginning."""
        self._begin = time.time()
        for known in self._workers.values():
            known["joined"] = self._begin
        self._monitor_count = self._scheduler.monitor.count
        self._note_clients()
        return self._begin

    def stop(self) -> None:
        """Leave the scheduler as it was."""
        self._scheduler.plugins.pop(self.name, None)
        self._counting = False
        for table, op, before, ours in self._wrapped:
            # Another recorder may have come later; what is left here of ours then counts nothing.
            if table.get(op) is ours:
                table[op] = before
        self._wrapped = []

    def remove_client(self, scheduler: Scheduler, client: str) -> None:
        """Go with the client that measures, however it ends."""
        if client == self._owner:
            self.stop()

    def add_client(self, scheduler: Scheduler, client: str) -> None:
        """Notice who else may send work."""
        self._note_clients()

    def _note_clients(self) -> None:
        self._other_clients |= {
            name for name in self._scheduler.clients if name.startswith("Client-") and name != self._owner
        }

    # -- workers ---------------------------------------------------------------------------------

    def add_worker(self, scheduler: Scheduler, worker: str) -> None:
        """Notice a worker that joins."""
        self._meet(worker)["joined_later"] = True

    def remove_worker(self, scheduler: Scheduler, worker: str, *, stimulus_id: str, **kwargs: Any) -> None:
        """Notice a worker that leaves, and whether anybody wanted it to."""
        known = self._workers.get(worker)
        if known is not None:
            known["left"] = time.time()
            known["expected"] = self._was_expected(worker)

    def restart(self, scheduler: Scheduler) -> None:
        """Notice a restart of all workers."""
        self._restarts += 1

    def _meet(self, address: str) -> dict[str, Any]:
        state = self._scheduler.workers.get(address)
        return self._workers.setdefault(
            address,
            {
                "name": str(state.name) if state else address,
                "n_threads": state.nthreads if state else 1,
                "joined": time.time(),
                "left": None,
                "expected": None,
                "joined_later": False,
                "n_tasks": 0,
                "compute_seconds": 0.0,
            },
        )

    def _was_expected(self, address: str) -> bool | None:
        for _, event in reversed(self._scheduler.get_events(address) or ()):
            if isinstance(event, dict) and event.get("action") == "remove-worker":
                return bool(event.get("expected"))
        return None

    # -- tasks -----------------------------------------------------------------------------------

    def transition(self, key: Any, start: str, finish: str, *args: Any, **kwargs: Any) -> None:
        """Add up a task that has ended."""
        if start != "processing" or finish not in ("memory", "erred"):
            return
        state = self._scheduler.tasks.get(key)
        prefix = state.prefix.name if state is not None and state.prefix is not None else str(key)
        sums = self._prefixes.get(prefix)
        if sums is None:
            sums = self._prefixes[prefix] = dict.fromkeys(
                ("n_tasks", "n_failed", "compute", "transfer", "disk", "other", "longest", "result_bytes", "largest"), 0
            )
        sums["n_tasks"] += 1
        if finish == "erred":
            sums["n_failed"] += 1
            if len(self._failures) < _FAILURES and prefix not in self._failures:
                self._failures[prefix] = str(kwargs.get("exception_text") or "")[:_FAILURE_LETTERS]
        size = kwargs.get("nbytes") or 0
        sums["result_bytes"] += size
        sums["largest"] = max(sums["largest"], size)
        worker = kwargs.get("worker") or ""
        for step in kwargs.get("startstops") or ():
            seconds = step["stop"] - step["start"]
            action = step["action"]
            if action == "compute":
                sums["compute"] += seconds
                sums["longest"] = max(sums["longest"], seconds)
                known = self._meet(worker)
                known["n_tasks"] += 1
                known["compute_seconds"] += seconds
                thread = kwargs.get("thread") or 0
                self._blocks.append(Block(worker, thread, prefix, step["start"], step["stop"], 1, seconds))
            elif action == "transfer":
                sums["transfer"] += seconds
            elif action in ("disk-read", "disk-write"):
                sums["disk"] += seconds
            else:
                sums["other"] += seconds
        if len(self._blocks) > HELD_BLOCKS:
            self._blocks = bounded(self._blocks, HELD_BLOCKS // 4)

    # -- what clients send -----------------------------------------------------------------------

    def _count_what_clients_send(self) -> None:
        """Measure graphs and scattered data as they arrive: serialized, as they were on the wire."""

        def sized(value: Any) -> int:
            frames = getattr(value, "frames", None)
            if frames is not None:
                return sum(memoryview(frame).nbytes for frame in frames)
            if isinstance(value, dict):
                return sum(sized(item) for item in value.values())
            return 0

        def counting(handler: Any, argument: str) -> Any:
            @functools.wraps(handler)
            async def counted(*args: Any, **kwargs: Any) -> Any:
                if self._counting and self._sent_bytes is not None and kwargs.get("client") != self._owner:
                    self._sent_bytes += sized(kwargs.get(argument))
                return await handler(*args, **kwargs)

            return counted

        handlers, stream = self._scheduler.handlers, self._scheduler.stream_handlers
        if "update-graph" not in stream or "scatter" not in handlers:
            self._sent_bytes = None
            return
        tables: list[tuple[dict[str, Any], str, str]] = [
            (stream, "update-graph", "expr_ser"),
            (handlers, "scatter", "data"),
        ]
        for table, op, argument in tables:
            ours = counting(table[op], argument)
            self._wrapped.append((table, op, table[op], ours))
            table[op] = ours

    # -- the end ---------------------------------------------------------------------------------

    def collect(self) -> dict[str, Any]:
        """Return everything, in plain types."""
        now = time.time()
        blocks = [block for block in self._blocks if block.stop >= self._begin]
        active = covered_seconds((max(block.start, self._begin), block.stop) for block in blocks)
        busy: dict[tuple[str, int], float] = {}
        for block in blocks:
            lane = (block.worker, block.thread)
            busy[lane] = busy.get(lane, 0.0) + block.busy_seconds
        chosen = set(spread(busy, SENT_THREADS))
        drawn = [block for block in blocks if (block.worker, block.thread) in chosen]
        unfinished = {"processing": 0, "waiting": 0, "queued": 0, "no-worker": 0}
        for prefix in self._scheduler.task_prefixes.values():
            for state in unfinished:
                unfinished[state] += prefix.states.get(state, 0)
        monitor = self._scheduler.monitor.range_query(self._monitor_count)
        return {
            "begin": self._begin,
            "end": now,
            "prefixes": self._prefixes,
            "workers": self._workers,
            "blocks": [tuple(block) for block in bounded(drawn, SENT_BLOCKS)],
            "n_blocks": sum(block.n_tasks for block in blocks),
            "n_lanes": len(busy),
            "active_seconds": active,
            "failures": self._failures,
            "unfinished": sum(unfinished.values()),
            "restarts": self._restarts,
            "sent_bytes": self._sent_bytes,
            "scheduler_cpu_percent": [value for value in monitor.get("cpu", []) if value is not None],
            "other_clients": len(self._other_clients),
        }


def begin(name: str, dask_scheduler: Any) -> float:
    """Take this moment for the beginning; returns the scheduler's time."""
    recorder: SchedulerRecorder = dask_scheduler.plugins[name]
    return recorder.mark()


def finish(name: str, dask_scheduler: Any) -> dict[str, Any] | None:
    """End the recording and return it; nothing, when it is not there any more."""
    recorder: SchedulerRecorder | None = dask_scheduler.plugins.get(name)
    if recorder is None:
        return None
    try:
        return recorder.collect()
    finally:
        recorder.stop()
