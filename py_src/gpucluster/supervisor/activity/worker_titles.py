"""What users call the workers of a cluster, including those that are gone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...backends.scheduler.view import Columns
from ...protocol.workers import several_workers, worker_title

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
