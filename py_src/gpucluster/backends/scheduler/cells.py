"""What each notebook cell computed. Sent to a scheduler elsewhere with ``reader.py``."""

from __future__ import annotations

import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Mapping
from operator import add, or_
from typing import Any

from ...dask_internals.scheduler_state import is_of_a_worker, kernel_of, left_on_purpose, own_failure
from ...dask_internals.spans import (
    drop_facts,
    facts_of,
    group_figures,
    is_forgotten,
    n_tasks,
    outermost_span,
    states_of,
)
from .failures import as_printed

MOST_CELLS = 200  # Of more, the oldest that have ended are forgotten.
FEW_GROUPS = 1000  # With more, those that the scheduler has forgotten are looked for, and again at twice the rest.
MOST_GROUPS = 30  # Per cell; the others are one group without a name.
LONGEST_ERROR, LONGEST_REPR = 200, 1000
RETURNED = 10  # How often a cell that has ended is returned again, so that an answer may be lost.
REST_SECONDS = 2.0  # A client without cells begins another piece of work after this time without tasks.
_WAITING = ("waiting", "queued", "no-worker")
_TEXTS = {"kernel": 80, "notebook": 500, "cell": 80, "code": 200}
"""Facts about a cell that are texts, with their greatest lengths."""


class CellWork:
    """Follows the graphs of all clients, and counts their tasks by the cell that asked for them.

    Tasks are counted by groups, which the scheduler does anyway. Only where several cells share a group (the same
    function submitted again while results of the first time are held), the keys of the later ones are kept and looked
    at one by one.
    """

    def __init__(self, scheduler: Any) -> None:
        self._scheduler = scheduler
        self._cells: OrderedDict[str, _Cell] = OrderedDict()
        self._shares: dict[Any, list[_Share]] = {}
        """Who has tasks in a group, by the group; the first one has all that the others do not have."""
        self._sweep_at = FEW_GROUPS

    def add(self, client: str, tasks: Iterable[Any], annotations: Mapping[str, Any]) -> bool:
        """Count the new tasks of a graph; return whether a cell has begun with it.

        `client`: id of the one that sent it. `tasks`: keys of all tasks that the graph mentions. `annotations`: of the
        new ones among them, by name and key.
        """
        facts = facts_of(annotations)
        known = self._scheduler.tasks
        groups: dict[Any, list[Any]] = {}
        for key in tasks:
            task = known[key]
            if key in facts:
                drop_facts(task)
            groups.setdefault(task.group, []).append(task)
        cell: _Cell | None = None
        has_begun = False
        for group, members in groups.items():
            shares = self._shares.setdefault(group, [])
            n_new = n_tasks(group) - sum(share.n_tasks for share in shares)
            if n_new <= 0:
                continue
            if cell is None:
                cell = self._cell(client, next(iter(facts.values()), None), members[0])
                has_begun = not cell.shares
            new = members if len(members) == n_new else [task for task in members if task.key in facts]
            self._share(cell, group, shares).add(n_new, [task.key for task in new], shares)
            cell.last_seen = time.time()
        if len(self._shares) > self._sweep_at:
            self._sweep()
        return has_begun

    def failed(self, task: Any) -> None:
        """Note that a task itself has failed: when, as Dask counts the time of what has a result only, and why."""
        if (share := self._share_of(task)) is not None:
            share.stopped = time.time()
            failure = own_failure(self._scheduler, task.key)
            share.error = as_printed(failure["error"][:LONGEST_REPR])[:LONGEST_ERROR] if failure else None

    def forgotten(self, task: Any, failed: bool) -> None:
        """Note that a task without a result is forgotten: it had failed, or is cancelled."""
        if (share := self._share_of(task)) is not None:
            share.stopped = time.time()
            if failed:
                share.n_failed += 1
            else:
                share.n_cancelled += 1

    def _share_of(self, task: Any) -> _Share | None:
        shares = self._shares.get(task.group)
        if not shares:
            return None
        return next((share for share in shares[1:] if task.key in share.keys), shares[0])

    def lost(self, worker: str) -> None:
        """Count a worker that is gone and should not be, by its address."""
        computing = [cell for cell in self._cells.values() if cell.told is None]
        if computing and not left_on_purpose(self._scheduler, worker):
            for cell in computing:
                cell.n_lost_workers += 1

    def read(self) -> list[dict[str, Any]]:
        """Return the cells that compute, and those that have ended lately, the oldest first."""
        found = []
        for cell in self._cells.values():
            if cell.n_returned < RETURNED:
                told = cell.told or self._told(cell)
                found.append(told)
                if told["ended"] is not None:
                    cell.told = told
                    cell.n_returned += 1
        return found

    def _cell(self, client: str, facts: Mapping[str, Any] | None, task: Any) -> _Cell:
        """Return the piece of work that new tasks belong to."""
        if facts is None and is_of_a_worker(client):
            outer = self._cells.get(outermost_span(task) or "")
            if outer is not None:
                return self._begun_again(outer)
        if facts is None or not isinstance(facts.get("id"), str):
            return self._of_client(client)
        id = str(facts["id"])[:80]
        if id not in self._cells:
            self._add(_Cell(id, client, facts))
        return self._begun_again(self._cells[id])

    def _of_client(self, client: str) -> _Cell:
        """Return the piece of work of a client that sends graphs without a cell: what it does without a rest is one."""
        name = f"client-{client}"
        latest = next((cell for id, cell in reversed(self._cells.items()) if id.startswith(name)), None)
        if latest is not None and latest.told is None and not latest.rests(self._figures(latest)):
            return latest
        cell = _Cell(f"{name}-{time.time():.3f}", client, None)
        self._add(cell)
        return cell

    def _add(self, cell: _Cell) -> None:
        self._cells[cell.id] = cell
        for old in list(self._cells.values())[:-1]:
            if len(self._cells) <= MOST_CELLS:
                break
            if old.told is not None:
                del self._cells[old.id]

    def _begun_again(self, cell: _Cell) -> _Cell:
        cell.told = None
        cell.n_returned = 0
        return cell

    def _share(self, cell: _Cell, group: Any, shares: list[_Share]) -> _Share:
        if group not in cell.shares:
            cell.shares[group] = _Share()
            shares.append(cell.shares[group])
        return cell.shares[group]

    def _figures(self, cell: _Cell) -> list[dict[str, Any]]:
        return [self._group_figures(group, share) for group, share in cell.shares.items()]

    def _group_figures(self, group: Any, share: _Share) -> dict[str, Any]:
        states, durations, n_bytes, start, stop = group_figures(group)
        shares = self._shares[group]
        whole, alone = n_tasks(group), len(shares) == 1
        if not alone:
            others = [other for other in shares[1:] if other is not share]
            if share is shares[0]:
                states = Counter(states)
                for other in others:
                    states.subtract(states_of(self._scheduler, other.keys))
            else:
                states = states_of(self._scheduler, share.keys)
        stop = max(stop, share.stopped)
        part = 1.0 if alone or not whole else share.n_tasks / whole
        counts = {
            "waiting": sum(states.get(state, 0) for state in _WAITING),
            "running": states.get("processing", 0),
            "failed": states.get("erred", 0) + share.n_failed,
            "cancelled": share.n_cancelled,
        }
        return {
            "name": str(group.prefix.name),
            "n_tasks": share.n_tasks,
            "n_done": max(0, share.n_tasks - sum(counts.values())),
            **{f"n_{name}": number for name, number in counts.items()},
            "error": share.error if counts["failed"] else None,
            "compute_seconds": durations.get("compute", 0.0) * part,
            "transfer_seconds": durations.get("transfer", 0.0) * part,
            "result_bytes": int(n_bytes * part),
            "shared": not alone,
            "start": start or stop,
            "stop": stop,
        }

    def _told(self, cell: _Cell) -> dict[str, Any]:
        groups = self._figures(cell)
        pending = sum(group["n_waiting"] + group["n_running"] for group in groups)
        stop = max((group["stop"] for group in groups), default=0.0)
        is_over = pending == 0 and time.time() - cell.last_seen > REST_SECONDS / 4
        return {
            "id": cell.id,
            **cell.facts,
            "by_time": cell.by_time,
            "began": cell.began,
            "ended": max(stop, cell.began) if is_over else None,
            "n_lost_workers": cell.n_lost_workers,
            "groups": [_since(cell.began, group) for group in _merged(groups)],
        }

    def _sweep(self) -> None:
        """Forget the groups that the scheduler has forgotten, but for those of cells that compute."""
        needed = {group for cell in self._cells.values() if cell.told is None for group in cell.shares}
        for group in [group for group in self._shares if group not in needed and is_forgotten(self._scheduler, group)]:
            del self._shares[group]
        for cell in self._cells.values():
            if cell.told is not None:
                cell.shares = {group: share for group, share in cell.shares.items() if group in self._shares}
        self._sweep_at = max(FEW_GROUPS, 2 * len(self._shares))


class _Cell:
    """A cell, or what a client does that has none."""

    def __init__(self, id: str, client: str, facts: Mapping[str, Any] | None) -> None:
        self.id = id
        self.by_time = facts is None
        self.began = self.last_seen = time.time()
        self.shares: dict[Any, _Share] = {}
        self.told: dict[str, Any] | None = None
        self.n_returned = self.n_lost_workers = 0
        self.facts: dict[str, Any] = {"kernel": kernel_of(client), "notebook": None, "cell": None, "number": None}
        self.facts |= {"code": None, "client": client[:200]}
        if facts is not None:
            for name, longest in _TEXTS.items():
                if isinstance(value := facts.get(name), str):
                    self.facts[name] = value[:longest]
            if isinstance(facts.get("number"), int):
                self.facts["number"] = facts["number"]
            if isinstance(began := facts.get("began"), float) and 0 <= self.began - began < 86_400:
                self.began = began

    def rests(self, groups: list[dict[str, Any]]) -> bool:
        """Return whether nothing is to be computed, and nothing has been sent for a while."""
        pending = any(group["n_waiting"] or group["n_running"] for group in groups)
        latest = max([self.last_seen, *(group["stop"] for group in groups)])
        return not pending and time.time() - latest > REST_SECONDS


class _Share:
    """The tasks that a cell has in a group; `keys` are known where others have tasks in it before."""

    def __init__(self) -> None:
        self.n_tasks = 0
        self.keys: set[Any] = set()
        self.n_failed = self.n_cancelled = 0  # Of those that are forgotten; others have a state.
        self.stopped = 0.0  # When one last ended without a result.
        self.error: str | None = None  # The last one.

    def add(self, n_tasks: int, keys: list[Any], shares: list[_Share]) -> None:
        self.n_tasks += n_tasks
        if shares[0] is not self:
            self.keys.update(keys)


_MERGED: dict[str, Callable[[Any, Any], Any]] = {
    "name": lambda one, _: one,
    "shared": or_,
    "error": lambda one, other: other or one,
    "start": lambda one, other: min(one or other, other or one),
    "stop": max,
}
"""How figures of two groups become one, where they are not added."""


def _merged(groups: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return one row per kind of task, those that took longest first."""
    kinds: dict[str, dict[str, Any]] = {}
    for group in groups:
        row = dict(group)
        if (known := kinds.get(row["name"])) is None:
            kinds[row["name"]] = row
            continue
        for name, value in row.items():
            known[name] = _MERGED.get(name, add)(known[name], value)
    rows = sorted(kinds.values(), key=lambda row: (-row["compute_seconds"], -row["n_tasks"]))
    if len(rows) <= MOST_GROUPS:
        return rows
    rest = rows[MOST_GROUPS - 1 :]
    return [*rows[: MOST_GROUPS - 1], *_merged([row | {"name": ""} for row in rest])]


def _since(began: float, row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with times after the beginning of the cell; none where no task has ended."""
    start, stop = row.pop("start"), row.pop("stop")
    return row | {
        name: round(max(0.0, moment - began), 3) if stop else None
        for name, moment in (("first_seconds", start), ("last_seconds", stop))
    }
